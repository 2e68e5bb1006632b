#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a CA and a server certificate for trying the webhook, valid for 30 days; not for production.
#
#     make_certificate.sh DIR [NAME...]
#
# DIR gets ca.crt, tls.crt and tls.key. The certificate is for the names and IPv4 addresses given, by
# default those of the Service and of this machine. Prints the base64 of ca.crt, the caBundle of
# webhook.yaml. The key of the CA is thrown away, so nobody can make a second certificate of it.
set -eu
umask 077

if [ $# -lt 1 ] || [ -z "$1" ]; then
  echo "usage: $0 DIR [NAME...]" >&2
  exit 2
fi
dir=$1
shift
[ $# -gt 0 ] || set -- schedpol.schedpol-system.svc localhost 127.0.0.1

names=
for name in "$@"; do
  case $name in
    '' | *[!A-Za-z0-9.*-]*)
      echo "$0: not a host name or IPv4 address: $name" >&2
      exit 2
      ;;
    *[!0-9.]*) names=$names,DNS:$name ;;
    *) names=$names,IP:$name ;;
  esac
done

mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Its own configuration, so that the machine's openssl.cnf changes nothing.
cat >"$work/openssl.cnf" <<END
[req]
distinguished_name = subject
prompt = no
[subject]
CN = schedpol webhook
[ca]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = ${names#,}
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END

quietly() {
  "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
}
cd "$work"
quietly openssl ecparam -name prime256v1 -genkey -noout -out ca.key
quietly openssl req -new -x509 -config openssl.cnf -extensions ca -subj "/CN=schedpol development CA" \
  -days 30 -sha256 -key ca.key -out ca.crt
quietly openssl ecparam -name prime256v1 -genkey -noout -out ec.key
quietly openssl pkcs8 -topk8 -nocrypt -in ec.key -out tls.key
quietly openssl req -new -config openssl.cnf -key tls.key -out tls.csr
quietly openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -set_serial "0x$(openssl rand -hex 15)" \
  -extfile openssl.cnf -extensions server -days 30 -sha256 -out tls.crt

# Whole or not at all: a server that watches the directory must not read half a certificate.
for file in ca.crt tls.crt tls.key; do
  cp "$file" "$dir/.$file.new"
  case $file in *.key) chmod 600 "$dir/.$file.new" ;; *) chmod 644 "$dir/.$file.new" ;; esac
done
for file in ca.crt tls.crt tls.key; do mv "$dir/.$file.new" "$dir/$file"; done
openssl base64 -A -in "$dir/ca.crt"
echo
