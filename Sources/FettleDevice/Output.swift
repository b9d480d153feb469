internal import FettleClient
internal import Terminal

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What the command prints.
enum Output {
  /// Prints a line on the standard error.
  static func error(_ line: String) {
    FileHandleOutput.standardError.write(line + "\n")
  }

  /// The screen that results are printed on.
  static let screen = Screen.detect(
    descriptor: 1,
    environment: ProcessInfo.processInfo.environment,
    color: .never
  )

  /// Prints rows in aligned columns; on a terminal, in columns that fit it.
  static func table(_ header: [String], _ rows: [[String]]) {
    guard !screen.isTerminal else {
      let table = Table(
        columns: header.map { Column($0.lowercased()) },
        rows: rows.map { $0.map(Cell.string) }
      )
      return print(OutputFormat.table.render(table, on: screen), terminator: "")
    }
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for row in all {
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      print(line)
    }
  }

  /// The text of a value in a table.
  static func text(_ value: FieldValue?) -> String {
    switch value {
    case nil, .null: "-"
    case .string(let text): text
    case .some(let other): "\(other)"
    }
  }

  /// For what something waits, with the commands that end the wait if a person has to decide.
  static func reason(of item: Waiting) -> String {
    let reason = item.reason ?? "not sent yet"
    guard item.needsDecision else { return reason }
    return switch item.id {
    case .file(let id):
      "\(reason); give it up with `fettle-device file \(text(id)) --discard`, or send it again with `--retry`"
    case .change(let change):
      "\(reason); decide with `fettle-device resolve \(change.number) --take …`, or send it again with `retry`"
    }
  }

  /// Says on a terminal that a change waits; programs read the result alone.
  static func tellWaiting() {
    if screen.isTerminal { error("it waits for `fettle-device sync`") }
  }

  /// Prints fields as name and value, one a line.
  static func fields(_ fields: [String: FieldValue]) {
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { print("\(name): \(text(value))") }
  }

  /// The text of an id.
  static func text(_ id: UUID) -> String { id.uuidString.lowercased() }
}
