connect();

function connect() {}
