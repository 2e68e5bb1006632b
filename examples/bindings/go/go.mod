module schedpol

go 1.21
