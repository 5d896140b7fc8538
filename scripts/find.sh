#!/bin/sh
# find.sh python    prints a Python of at least 3.11 that can make a virtual environment; $PYTHON if that is set
# find.sh chromium  prints a Chromium for the browser tests; $CHROMIUM if that is set
# As root on Debian or Ubuntu what is missing is installed. Anyone else is told what to do, and the exit code is 1.
set -u

say() {
    echo "$*" >&2
}

# install PACKAGE, for the reason already said
install() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "Installing Debian's $1."
        apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >&2
    elif command -v apt-get >/dev/null; then
        say "Run: sudo apt-get install $1"
        return 1
    else
        say "Install it the way your system does, then try again."
        return 1
    fi
}

# A name on the path may be a shim for a version that is not there: only running it tells.
is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

can_make_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

find_python() {
    without_venv=
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        is_new_enough "$candidate" || continue
        if can_make_venv "$candidate"; then
            command -v "$candidate"
            return
        fi
        without_venv=${without_venv:-$candidate}
    done
    if [ -z "$without_venv" ]; then
        say "Paceline needs Python 3.11 or newer${PYTHON:+, which PYTHON=$PYTHON is not}."
        return 1
    fi
    say "$without_venv cannot make a virtual environment."
    install "$("$without_venv" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')" || return 1
    can_make_venv "$without_venv" && command -v "$without_venv"
}

find_chromium() {
    for candidate in ${CHROMIUM:-chromium chromium-browser google-chrome google-chrome-stable}; do
        command -v "$candidate" && return
    done
    if [ -n "${CHROMIUM:-}" ]; then
        say "CHROMIUM=$CHROMIUM is not a program."
        return 1
    fi
    say "The browser tests need Chromium or Chrome, found on the path or named by CHROMIUM=/path/to/it."
    install chromium && command -v chromium
}

case ${1:-} in
    python) find_python ;;
    chromium) find_chromium ;;
    *) say "usage: find.sh python|chromium"; exit 2 ;;
esac
