@testable import Domain
@testable import Engine
@testable import Secrets
@testable import Store

/// A parser of text from outside, and what must hold for each input: it does not crash or hang, and what it
/// accepts it reads again in the same way.
enum FuzzTarget: String, CaseIterable {
  case csv, json, yaml, cursor, condition, token, link, cron, jsonpath

  /// The target that the first argument of the process names.
  static let selected = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init)

  /// Reads an input.
  func read(_ bytes: [UInt8]) {
    if self == .csv { return readCSV(bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    switch self {
    case .csv: break
    case .json: readJSON(text)
    case .yaml: readYAML(text)
    case .cursor: readCursor(text)
    case .condition: readCondition(text)
    case .token:
      if let token = try? APIToken.parse(text) { precondition(token.text == text) }
    case .link:
      if let link = try? ShareLink.parse(text) { precondition(link.text == text) }
    case .cron: readCron(text)
    case .jsonpath:
      let path = GuardPath(text)
      // In bytes: a combining mark after a dot is a field, but no character of its own.
      if path.excess == nil { precondition(path.columns.allSatisfy { text.utf8.contains($0.utf8) }) }
      _ = path.isBounded(besides: ["a"])
    }
  }

  /// The first byte is the size of the chunks: they must not change the records.
  private func readCSV(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let text = bytes.dropFirst()
    let whole = Self.records(of: [text])
    let size = max(1, Int(first))
    let chunks = stride(from: text.startIndex, to: text.endIndex, by: size)
      .map { text[$0..<min($0 + size, text.endIndex)] }
    precondition(Self.records(of: chunks) == whole)
  }

  private static func records(of chunks: [ArraySlice<UInt8>]) -> [CSVRecord]? {
    var reader = CSVReader(limits: DocumentLimits(bytes: 1_000_000, nodes: 50))
    var records: [CSVRecord] = []
    do {
      for chunk in chunks { try reader.read(chunk) { records.append($0) } }
      try reader.finish { records.append($0) }
      return records
    } catch {
      return nil
    }
  }

  private func readJSON(_ text: String) {
    guard let value = try? JSONValue(parsing: text) else { return }
    let again = try? JSONValue(parsing: value.text)
    precondition(again == value, "\(value.text)")
    _ = value.canonicalText
  }

  private func readYAML(_ text: String) {
    _ = try? YAMLDocument.decode(WorkflowOverlay.self, text, document: "fuzz")
    if let definition = try? ManifestReader.readWorkflow(text, document: "fuzz") { _ = definition.validate() }
    if let manifest = try? ManifestReader.read(text, document: "fuzz") { _ = manifest.validate() }
  }

  private func readCursor(_ text: String) {
    let read = { try? RecordCursor(parsing: $0, type: "a.b", sort: "-c", columns: 1) }
    guard let cursor = read(text) else { return }
    let again = read(cursor.text)
    precondition(again?.id == cursor.id && again?.values == cursor.values)
  }

  private func readCondition(_ text: String) {
    guard let condition = try? RecordCondition(parsing: text) else { return }
    precondition(text.hasPrefix(condition.column) && !condition.column.isEmpty)
  }

  private func readCron(_ text: String) {
    guard let cron = try? CronExpression(parsing: text) else { return }
    let start = Instant(seconds: 1_767_225_600)
    let summer = Instant(seconds: 1_767_225_600 + 86_400 * 90)
    let zone = ZoneOffsets(
      [ZoneOffsets.Period(start: start, offset: 0), ZoneOffsets.Period(start: summer, offset: 3_600)],
      end: Instant(seconds: 1_767_225_600 + 86_400 * 366)
    )
    guard let next = cron.next(after: start, in: zone) else { return }
    precondition(next > start)
    if let following = cron.next(after: next, in: zone) { precondition(following > next) }
  }
}
