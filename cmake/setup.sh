# Shared by ./lacuna and ./test: install missing packages by name, build presets. Everything said goes to standard error.

build_packages=(g++ cmake ninja-build pkg-config libhwy-dev libxbyak-dev libdnnl-dev libprotozero-dev libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libxxhash-dev libpugixml-dev libyaml-cpp-dev libarchive-dev opencl-c-headers)
test_packages=(ccache libgtest-dev libgmock-dev clang libclang-rt-14-dev python3 python3-venv zstd gzip dataset-fashion-mnist ocl-icd-libopencl1 pocl-opencl-icd oclgrind)

# install_missing PACKAGE...: a stamp remembers that all were found, so that the next run does not ask again.
install_missing() {
  local stamp="$root/build/.installed-$(printf '%s\n' "$@" | cksum | cut -d' ' -f1)"
  if [ -e "$stamp" ]; then return; fi
  if command -v dpkg-query >/dev/null; then
    local missing=()
    for package in "$@"; do
      dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
      echo "installing ${missing[*]}" >&2
      local sudo=()
      if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
      "${sudo[@]}" apt-get update -qq >&2
      DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
    fi
  else
    echo "no dpkg here: these must be installed by hand: $*" >&2
  fi
  mkdir -p "$root/build"
  touch "$stamp"
}

# build PRESET TARGET [CMAKE-OPTION...]: configures when asked something new, then builds; says so only then, and shows
# the whole log when it fails.
build() {
  local preset=$1 target=$2 folder="$root/build/$1" log="$root/build/$1.log"
  shift 2
  mkdir -p "$folder"
  if [ ! -e "$folder/build.ninja" ] || { [ $# -gt 0 ] && [ "$(cat "$folder/options" 2>/dev/null)" != "$*" ]; }; then
    echo "configuring and building $preset (minutes the first time; log: build/$preset.log)" >&2
    (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    echo "$*" >"$folder/options"
  fi
  ninja -C "$folder" "$target" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

# python_with PACKAGE...: a Python of our own under build/ that has them; its path goes to standard output. Fails where they cannot be had.
python_with() {
  local folder="$root/build/python" stamp="$root/build/python/.has-$(printf '%s\n' "$@" | cksum | cut -d' ' -f1)"
  if [ ! -e "$stamp" ]; then
    echo "installing $* from PyPI into build/python" >&2
    python3 -m venv "$folder" >&2 && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2 || return 1
    touch "$stamp"
  fi
  echo "$folder/bin/python"
}

build_release() {
  install_missing "${build_packages[@]}"
  build release lacuna_cli
}
