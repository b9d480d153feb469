import Testing

@testable import Engine

@Suite struct CSVReaderTests {
  private static func records(_ text: String, delimiter: Character = ",", by size: Int = 2) throws
    -> [CSVRecord]
  {
    var reader = CSVReader(delimiter: delimiter.asciiValue ?? 0)
    var records: [CSVRecord] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try reader.read(rest.prefix(size)) { records.append($0) }
      rest = rest.dropFirst(size)
    }
    try reader.finish { records.append($0) }
    return records
  }

  @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 5, 100])
  func `records have the line they begin on, for every line end and chunk size`(end: String, size: Int) throws
  {
    let text = ["a,b", "", "1,\"x,\"\"y\"\"\"", "2,\"two\nlines\"", "3,"].joined(separator: end)
    let records = try Self.records(text, by: size)
    #expect(records.map(\.fields) == [["a", "b"], ["1", "x,\"y\""], ["2", "two\nlines"], ["3", ""]])
    #expect(records.map(\.line) == [1, 3, 4, 6])
    #expect(records.allSatisfy { $0.fault == nil })
  }

  @Test(arguments: [";", "\t", "|"] as [Character])
  func `fields are separated by the delimiter alone`(delimiter: Character) throws {
    let records = try Self.records("a\(delimiter)b,c\(delimiter)\"d\(delimiter)e\"", delimiter: delimiter)
    #expect(records.map(\.fields) == [["a", "b,c", "d\(delimiter)e"]])
  }

  @Test func `a line with text behind a quote is faulty, and the next one is read`() throws {
    let records = try Self.records("a,b\n\"6\" hose,1\nc,d\n")
    #expect(records.map(\.fault) == [nil, "text follows a closing quote", nil])
    #expect(String(decoding: records[1].source, as: UTF8.self) == "\"6\" hose,1")
    #expect(records[2].fields == ["c", "d"])
  }

  @Test func `a line that is not UTF-8 is faulty, and the next one is read`() throws {
    var reader = CSVReader()
    var records: [CSVRecord] = []
    try reader.read(Array("a,".utf8) + [0xe4] + Array("b\nc,d\n".utf8)) { records.append($0) }
    #expect(records.map(\.fault) == ["the line is not valid UTF-8", nil])
    #expect(records[0].source == Array("a,".utf8) + [0xe4, UInt8(ascii: "b")])
  }

  @Test func `a quote that is never closed ends the file with the line it begins on`() throws {
    #expect(throws: CSVFault(line: 2, reason: "a quoted field is not closed")) {
      try Self.records("a,b\nc,\"d\ne,f\n")
    }
  }
}
