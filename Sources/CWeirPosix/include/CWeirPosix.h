// System calls that the Glibc module does not have.
