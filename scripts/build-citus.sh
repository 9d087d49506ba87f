#!/usr/bin/env bash
# build-citus.sh ARCHIVE CACHE: a private PostgreSQL 15 with Citus, for the tests that run on it. ARCHIVE: the sources of a release of Citus 13
# (tar.xz). The server and its headers are Debian's packages, unpacked into CACHE: nothing is installed. Binaries: CACHE/usr/lib/postgresql/15/bin.
set -euo pipefail
archive=$(realpath "$1"); mkdir -p "$2"; cache=$(realpath "$2")
pg=$cache/usr/lib/postgresql/15
[ -f "$pg/lib/citus.so" ] && exit 0
work=$(mktemp -d "$cache/building.XXXXXX"); trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq postgresql-15 postgresql-client-15 postgresql-server-dev-15 libpq-dev libzstd-dev liblz4-dev libkrb5-dev krb5-multidev
for package in *.deb; do dpkg -x "$package" "$cache"; done
libraries=$cache/usr/lib/$(gcc -print-multiarch)
# The unpacked static libraries would be taken before the machine's shared ones, which the server itself uses.
for library in zstd.so.1 lz4.so.1 pq.so.5; do
  name=${library%%.*}
  rm -f "$libraries/lib$name.a"
  ln -sf "/usr/lib/$(gcc -print-multiarch)/lib$library" "$libraries/lib$name.so"
done
# Later minor releases of the server export a function that Citus 13 defines itself.
sed -i '/extern bool have_createdb_privilege/d' "$cache/usr/include/postgresql/15/server/commands/dbcommands.h"
tar --strip-components=0 -xJf "$archive"
[ -x configure ] || cd ./*/
export C_INCLUDE_PATH=$cache/usr/include:$cache/usr/include/postgresql LIBRARY_PATH=$libraries
./configure PG_CONFIG="$pg/bin/pg_config" --without-libcurl --with-security-flags=no CPPFLAGS="-I$cache/usr/include" LDFLAGS="-L$libraries" >&2
make -s -j2 with_llvm=no extension >&2
make -s with_llvm=no install-extension >&2
strip "$pg"/lib/citus*.so
