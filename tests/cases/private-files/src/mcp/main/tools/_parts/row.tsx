nor is this <
