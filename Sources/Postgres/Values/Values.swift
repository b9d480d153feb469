// The types of dates, times and exact numbers, which are read from the database and sent to it.
@_exported public import Values
