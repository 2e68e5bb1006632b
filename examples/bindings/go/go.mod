module schedpol

go 1.21

require github.com/tetratelabs/wazero v1.8.2
