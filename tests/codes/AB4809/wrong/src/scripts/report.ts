console.log('a report');
