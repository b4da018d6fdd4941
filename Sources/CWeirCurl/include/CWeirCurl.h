// Calls of libcurl that Swift cannot make.
