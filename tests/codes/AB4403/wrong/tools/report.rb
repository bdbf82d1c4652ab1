puts "a report"
