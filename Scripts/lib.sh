# Shared by the commands in this folder; read with `.`, not run. POSIX shell.
#
# Everything said here goes to standard error, so that a command's own output stays clean.
# Exit status 2: this machine is not ready, and the sentence printed says what to do.
# shellcheck shell=sh
# The command that reads this has set `root` to the project's folder.
: "${root:?}"

# Oldest toolchain that can read Package.swift.
required_swift=6.2

# Daemons live in sbin, which is not on every user's path.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
export PATH

say() { printf 'weir: %s\n' "$*" >&2; }

stop() {
    say "$*"
    exit 2
}

# need_swift: stops unless a new enough toolchain answers. Where the toolchain lacks shared libraries, installs those.
need_swift() {
    command -v swift >/dev/null 2>&1 ||
        stop "there is no Swift here: install Swift $required_swift or later from https://www.swift.org/install and put it on the PATH."
    swift_runs || need_packages toolchain
    swift_runs ||
        stop "this Swift does not run ($(printf '%s\n' "$swift_answer" | head -n 1)): https://www.swift.org/install tells what Swift $required_swift or later needs here."
    if [ "${swift_version%%.*}" -lt "${required_swift%%.*}" ] ||
        { [ "${swift_version%%.*}" -eq "${required_swift%%.*}" ] &&
            [ "${swift_version#*.}" -lt "${required_swift#*.}" ]; }; then
        stop "Swift $swift_version is too old: install Swift $required_swift or later from https://www.swift.org/install."
    fi
}

# swift_runs: whether compiler and package manager start; sets swift_version, as MAJOR.MINOR, and swift_answer.
swift_runs() {
    swift_answer=$(swift --version 2>&1 </dev/null) || return 1
    swift_version=$(printf '%s\n' "$swift_answer" |
        sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    [ -n "$swift_version" ] || return 1
    swift_answer=$(swift build --version 2>&1 </dev/null)
}

# has PROBE: whether a row's probe succeeds.
has() {
    case $1 in
    command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
    # The pattern may hold wildcards: it stays unquoted, and its first match is looked at.
    header:*)
        # shellcheck disable=SC2086
        set -- /usr/include/${1#header:}
        [ -e "$1" ]
        ;;
    python:*) python3 -c "import ${1#python:}" >/dev/null 2>&1 ;;
    library:*) ldconfig -p 2>/dev/null | grep -q -F "${1#library:}" ;;
    *) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1" 2>/dev/null ;;
    esac
}

# missing COLUMN GROUP...: the packages, by the names of a column, whose probe fails; each once.
missing() {
    missing_column=$1
    shift
    missing_names=
    while read -r row_for row_probe row_apt row_brew; do
        case " $* " in *" $row_for "*) ;; *) continue ;; esac
        case $missing_column in apt) row_name=$row_apt ;; *) row_name=$row_brew ;; esac
        [ "$row_name" != - ] || continue
        case " $missing_names " in *" $row_name "*) continue ;; esac
        has "$row_probe" || missing_names="$missing_names $row_name"
    done <"$root/Scripts/dependencies.txt"
    printf '%s' "${missing_names# }"
}

# need_packages GROUP...: installs what is missing and says so; silent when nothing is.
need_packages() {
    case $(uname -s) in
    Darwin) need_packages_brew "$@" ;;
    *) need_packages_apt "$@" ;;
    esac
}

need_packages_apt() {
    packages=$(missing apt "$@")
    [ -n "$packages" ] || return 0
    command -v apt-get >/dev/null 2>&1 ||
        stop "these are missing and there is no apt-get to install them: what Debian calls $packages; install them with this system's package manager and run this again."
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        # -n: a question for a password would hang where nobody answers.
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            as_root="sudo -n"
        else
            stop "these are missing and root is needed to install them: run \`sudo apt-get install $packages\` and then this again."
        fi
    fi
    say "installing with apt-get: $packages"
    apt_log=$(mktemp)
    # Not quoted on purpose: as_root and packages are lists of words.
    # shellcheck disable=SC2086
    if ! {
        $as_root apt-get -q -o DPkg::Lock::Timeout=120 update &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
                install --no-install-recommends $packages
    } >"$apt_log" 2>&1 </dev/null; then
        tail -n 15 "$apt_log" >&2
        rm -f "$apt_log"
        stop "apt-get could not install $packages; its last lines are above."
    fi
    rm -f "$apt_log"
    packages=$(missing apt "$@")
    [ -z "$packages" ] ||
        stop "apt-get installed them, but they are still not found: $packages; see whether PKG_CONFIG_PATH or PATH hides them."
}

need_packages_brew() {
    # Formulas that are "keg-only" are found by their own pkg-config folder.
    if command -v brew >/dev/null 2>&1; then
        brew_prefix=$(brew --prefix)
        PKG_CONFIG_PATH="$brew_prefix/opt/openssl@3/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
        export PKG_CONFIG_PATH
    fi
    packages=$(missing brew "$@")
    [ -n "$packages" ] || return 0
    command -v brew >/dev/null 2>&1 ||
        stop "these are missing and there is no Homebrew to install them: $packages; install Homebrew from https://brew.sh and run this again."
    say "installing with Homebrew: $packages"
    # shellcheck disable=SC2086
    HOMEBREW_NO_AUTO_UPDATE=1 NONINTERACTIVE=1 brew install --quiet $packages >&2 </dev/null ||
        stop "Homebrew could not install $packages; its last lines are above."
}
