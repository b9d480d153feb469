internal import Domain
package import Engine
internal import Store
internal import Synchronization
internal import Terminal

/// Runs an import of records: shows its progress, writes the file of refused lines, and prints the summary.
package struct ImportActions {
  /// The singular and plural name of a type.
  package struct Names: Sendable {
    let one: String
    let many: String

    package init(one: String, many: String) {
      self.one = one
      self.many = many
    }

    func count(_ count: Int) -> String { "\(Figures.grouped(count)) \(count == 1 ? one : many)" }
  }

  private let options: RecordOptions
  /// The file for refused lines; nil if a refused line fails the import.
  private let skipBad: String?
  private let dryRun: Bool
  private let names: Names?

  /// - Parameter names: the command's names for the imported records; nil for the names in the manifest.
  package init(options: RecordOptions, skipBad: String?, dryRun: Bool, names: Names? = nil) {
    self.options = options
    self.skipBad = skipBad
    self.dryRun = dryRun
    self.names = names
  }

  /// Imports the file, and prints unreadable values, refused lines and the numbers of imported records.
  package func run(_ plan: ImportPlan, file: String) async throws {
    if let skipBad { try RefusedLines.prepare(skipBad, besides: file) }
    let own = names
    let (outcome, names) = try await options.company.withActingContext { services, acting in
      let records = try await Records.open(services)
      let bar = Mutex<ProgressBar?>(nil)
      let outcome = try await RecordImporter(services, records).run(
        acting,
        path: file,
        plan: plan,
        dryRun: dryRun
      ) { done, total in
        bar.withLock { bar in
          if bar == nil { bar = ProgressBar("importing", unit: "lines", total: total, on: .errors) }
          bar?.advance(to: done)
        }
      }
      bar.withLock { $0?.finish() }
      let types = Set([plan.type] + outcome.created.keys)
      let names = try types.map { name in
        let type = try records.catalogue.type(name).definition
        let labels = Names(one: type.label.lowercased(), many: type.plural.lowercased())
        return (name, name == plan.type ? own ?? labels : labels)
      }
      return (outcome, Dictionary(names) { first, _ in first })
    }
    if let skipBad { try RefusedLines.write(RefusedFile(outcome.form, outcome.refused), to: skipBad) }
    try report(outcome, plan.type, names)
  }

  private func report(_ outcome: ImportOutcome, _ type: String, _ names: [String: Names]) throws {
    for value in outcome.unread.prefix(10) {
      Message.tell("line \(value.line): \(value.column): cannot read \(Quoted(value.text)); left empty")
    }
    if outcome.unread.count > 10 { Message.tell("\(outcome.unread.count - 10) more values were left empty") }
    if let first = outcome.equal.first {
      let lines = Self.lines(outcome.equal.map(\.line))
      Message.tell(
        "\(lines) equal\(outcome.equal.count == 1 ? "s" : "") an earlier line (line \(first.line) is as line \(first.first)); each counts as a record of its own"
      )
    }
    if !outcome.differing.isEmpty {
      let one = outcome.differing.count == 1
      Message.tell(
        "\(Self.lines(outcome.differing)): the \(one ? "record has" : "records have") other values, which were kept"
      )
    }
    for value in outcome.shifted.prefix(10) {
      let label = names[value.type]?.one ?? value.type
      Message.tell(
        "line \(value.line): created the \(label) \(Quoted(value.name)), but \(value.reason); are its columns shifted?"
      )
    }
    if outcome.shifted.count > 10 {
      Message.tell("\(outcome.shifted.count - 10) more created records look like values of other columns")
    }
    if let skipBad, !outcome.refused.isEmpty {
      let count = outcome.refused.count
      Message.tell(
        "\(Figures.grouped(count)) \(count == 1 ? "line was" : "lines were") refused; correct and import \(skipBad)"
      )
    }
    if let number = outcome.number, !dryRun {
      Message.tell("import \(number); `fettle record import undo \(number)` takes it back")
    }
    let created = outcome.created.sorted { $0.key < $1.key }
    try options.output.report(
      sentence(outcome, type, names),
      [
        (Column("imported"), .integer(outcome.imported)),
        (Column("updated"), .integer(outcome.updated)),
        (Column("completed"), .integer(outcome.completed)),
        (Column("already_there"), .integer(outcome.alreadyThere)),
        (Column("refused"), .integer(outcome.refused.count)),
        (Column("left_empty"), .integer(outcome.unread.count)),
        (Column("differing"), .integer(outcome.differing.count)),
        (Column("differing_lines"), .list(outcome.differing.prefix(Self.named).map { .integer($0) })),
        (Column("equal_lines"), .list(outcome.equal.prefix(Self.named).map { .integer($0.line) })),
        (Column("created"), .nested(created.map { .init($0.key, .integer($0.value)) })),
        (Column("looks_shifted"), .list(outcome.shifted.map(Self.cell))),
        (Column("import"), dryRun ? .null : outcome.number.map { .integer($0) } ?? .null),
      ]
    )
  }

  /// The maximum of lines that the JSON report names.
  private static let named = 1_000

  /// Returns `line 3`, `lines 3, 7` or `lines 3, 7, … (12 lines)`.
  private static func lines(_ numbers: [Int]) -> String {
    guard numbers.count > 1 else { return "line \(numbers.first ?? 0)" }
    let shown = numbers.prefix(10).map(String.init).joined(separator: ", ")
    return numbers.count > 10
      ? "lines \(shown), … (\(Figures.grouped(numbers.count)) lines)" : "lines \(shown)"
  }

  private static func cell(_ value: ShiftedValue) -> Cell {
    .nested([
      .init("type", .string(value.type)), .init("name", .string(value.name)),
      .init("line", .integer(value.line)), .init("reason", .string(value.reason)),
    ])
  }

  private func sentence(_ outcome: ImportOutcome, _ type: String, _ names: [String: Names]) -> String {
    let noun = names[type]?.count(outcome.imported) ?? Figures.grouped(outcome.imported)
    var parts = ["\(dryRun ? "would have " : "")imported \(noun)"]
    if outcome.updated > 0 { parts.append("changed \(Figures.grouped(outcome.updated))") }
    if outcome.completed > 0 { parts.append("completed \(Figures.grouped(outcome.completed))") }
    if outcome.alreadyThere > 0 {
      parts.append("skipped \(Figures.grouped(outcome.alreadyThere)) imported before")
    }
    if !outcome.differing.isEmpty { parts.append("\(Figures.grouped(outcome.differing.count)) differ") }
    let unread = outcome.unread.count
    let values = unread == 1 ? "value" : "values"
    if unread > 0 { parts.append("left \(Figures.grouped(unread)) \(values) empty") }
    let created = outcome.created.sorted { $0.key < $1.key }.compactMap { names[$0.key]?.count($0.value) }
    return parts.joined(separator: ", ")
      + (created.isEmpty ? "" : "; \(dryRun ? "would have " : "")created \(created.joined(separator: ", "))")
  }
}
