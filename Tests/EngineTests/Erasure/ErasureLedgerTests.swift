import Foundation
import Store
import Testing

/// The file that remembers erasures outside the database.
@Suite struct ErasureLedgerTests {
  @Test func `a line that was cut off by a crash does not swallow the next one`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "fettle-\(UUID().uuidString).erasures")
    defer { try? FileManager.default.removeItem(at: file) }
    let path = file.path(percentEncoded: false)
    let ledger = ErasureLedger(path: path)
    let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    try ledger.add(kind: "company", digest: first)
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    try Data((whole + "person 0202").utf8).write(to: file)
    try ledger.add(kind: "person", digest: second)
    try ledger.add(kind: "person", digest: second)
    let expected = [
      ErasureLedger.Entry(kind: "company", digest: first),
      ErasureLedger.Entry(kind: "person", digest: second),
    ]
    #expect(try ledger.read() == expected)
  }
}
