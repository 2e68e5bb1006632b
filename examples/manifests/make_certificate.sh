#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the certificate of the programs' HTTPS servers, that of kube-scheduler as a client of the
# extender, and a CA for both where there is none yet.
#
#     make_certificate.sh DIR [NAME...]
#     make_certificate.sh --new-ca DIR
#     make_certificate.sh --forget-old-ca DIR
#
# DIR gets ca.crt, ca.key, tls.crt, tls.key, client.crt and client.key. Called again it renews the
# certificates and their keys with the CA that is there, so that whoever trusts ca.crt (a caBundle, a
# KubeSchedulerConfiguration) goes on doing so. The server's certificate is for the names and IPv4
# addresses given, by default those of the two Services and of this machine; certificates are valid for
# a year, the CA for ten. Whoever has ca.key can be taken for the webhook: it belongs where other
# secrets are kept, and never into the cluster.
#
# A CA is changed in three calls, and README.md says what has to be done after each. --new-ca puts a new
# one before the old one into ca.crt and leaves the certificates alone; the next call without an option
# signs all of them with the new one; --forget-old-ca leaves it alone in ca.crt.
set -eu
umask 077

days=365
ca_days=3650

step=renew
case ${1-} in --new-ca | --forget-old-ca) step=${1#--} && shift ;; esac
case ${1-} in '' | -*) usage= ;; *) usage=good ;; esac
if [ -z "$usage" ] || { [ "$step" != renew ] && [ $# -ne 1 ]; }; then
  echo "usage: $0 DIR [NAME...] | --new-ca DIR | --forget-old-ca DIR" >&2
  exit 2
fi
dir=$1
shift
[ $# -gt 0 ] || set -- schedpol-webhook.schedpol-system.svc schedpol-scheduler.schedpol-system.svc \
  localhost 127.0.0.1

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

[ "$step" != renew ] || mkdir -p -- "$dir"
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
CN = schedpol
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
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END

quietly() {
  "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
}

# Whole or not at all: a server that watches the directory must not read half a certificate.
put() {
  for file in "$@"; do
    cp "$file" "$dir/.$file.new"
    case $file in *.key) chmod 600 "$dir/.$file.new" ;; *) chmod 644 "$dir/.$file.new" ;; esac
  done
  for file in "$@"; do mv "$dir/.$file.new" "$dir/$file"; done
}

fail() {
  echo "$0: $1" >&2
  exit 1
}

# make_ca: a new key, and its CA, as ca.key and ca.crt.
make_ca() {
  quietly openssl ecparam -name prime256v1 -genkey -noout -out ca.key
  quietly openssl req -new -x509 -config openssl.cnf -extensions ca -subj "/CN=schedpol CA" \
    -days "$ca_days" -sha256 -key ca.key -out ca.crt
}

# sign FILE KIND SUBJECT: a new key, and its certificate.
sign() {
  quietly openssl ecparam -name prime256v1 -genkey -noout -out ec.key
  quietly openssl pkcs8 -topk8 -nocrypt -in ec.key -out "$1.key"
  quietly openssl req -new -config openssl.cnf -subj "$3" -key "$1.key" -out request.csr
  quietly openssl x509 -req -in request.csr -CA ca.crt -CAkey ca.key -set_serial "0x$(openssl rand -hex 15)" \
    -extfile openssl.cnf -extensions "$2" -days "$days" -sha256 -out "$1.crt"
}

cd "$work"
if [ "$step" != renew ]; then
  cp -- "$dir/ca.crt" old.crt || fail "without a ca.crt there is no CA to change"
  authorities=$(grep -c 'BEGIN CERTIFICATE' old.crt) || :
fi
case $step in
  new-ca)
    [ "$authorities" -eq 1 ] || fail "ca.crt has $authorities CAs: a change has begun, --forget-old-ca ends it"
    make_ca
    cat old.crt >>ca.crt
    put ca.crt ca.key
    ;;
  forget-old-ca)
    # The first one is the new one.
    quietly openssl x509 -in old.crt -out ca.crt
    for file in tls client; do
      openssl verify -CAfile ca.crt "$dir/$file.crt" >/dev/null 2>&1 ||
        fail "$file.crt is not of the new CA yet: renew it, and let everybody read it, before the old one is forgotten"
    done
    put ca.crt
    ;;
  renew)
    new=
    if [ -e "$dir/ca.key" ] || [ -e "$dir/ca.crt" ]; then
      for file in ca.crt ca.key; do
        cp -- "$dir/$file" "$file" || fail "without both ca.crt and ca.key nothing can be renewed"
      done
      # Of several CAs, as during a change from one to another, the first one signs.
      openssl x509 -in ca.crt -noout -checkend $(((days + 1) * 86400)) >/dev/null ||
        fail "the CA ends before the certificate would: see README.md on changing it"
    else
      make_ca
      new='ca.crt ca.key'
    fi
    sign tls server /CN=schedpol
    sign client client /CN=kube-scheduler
    put $new tls.crt tls.key client.crt client.key
    ;;
esac
