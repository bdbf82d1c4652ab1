print("a report")
