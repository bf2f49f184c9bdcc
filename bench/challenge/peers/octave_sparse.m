% Peer: GNU Octave with the algorithm that the challenge publishes (own code): sparse Y W, bias where the sum is not zero,
% ReLU, clip at 32. Octave has no single-precision sparse matrices, so this runs in double. Timed: the layer loop only.
%
%   octave-cli octave_sparse.m NETWORK.bin INPUTS.bin OUTPUT.npy        prints one JSON object

function matrix = read_compressed(file, rows, columns, nnz)
  % Gives the matrix transposed: the file is compressed by row.
  row_start = fread(file, rows + 1, "int32");
  column = fread(file, nnz, "int32") + 1;
  value = fread(file, nnz, "single");
  row = repelems(1:rows, [1:rows; diff(row_start)']);
  matrix = sparse(column, row, value, columns, rows);
end

function write_npy(name, answer)
  [inputs, neurons] = size(answer);
  header = sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", inputs, neurons);
  header = [header, repmat(" ", 1, mod(-11 - length(header), 64)), "\n"];
  file = fopen(name, "w", "ieee-le");
  fwrite(file, [147, double("NUMPY"), 1, 0], "uint8");
  fwrite(file, length(header), "uint16");
  fwrite(file, header, "char");
  fwrite(file, single(full(answer')), "single");
  fclose(file);
end

arguments = argv();
file = fopen(arguments{1}, "r", "ieee-le");
neurons = fread(file, 1, "int32");
layers = fread(file, 1, "int32");
for l = 1:layers
  nnz_of_layer = fread(file, 1, "int32");
  W{l} = read_compressed(file, neurons, neurons, nnz_of_layer);
  bias{l} = fread(file, neurons, "single");
end
fclose(file);

file = fopen(arguments{2}, "r", "ieee-le");
fread(file, 1, "int32");
inputs = fread(file, 1, "int32");
Y = read_compressed(file, inputs, neurons, fread(file, 1, "int32"))';
fclose(file);

tic;
for l = 1:layers
  [input, neuron, sum] = find(Y * W{l});
  Y = sparse(input, neuron, min(32, max(0, sum + bias{l}(neuron))), inputs, neurons);
end
seconds = toc;

write_npy(arguments{3}, Y);
printf("{\"seconds_run\": %.6f, \"settings\": \"sparse double\"}\n", seconds);
