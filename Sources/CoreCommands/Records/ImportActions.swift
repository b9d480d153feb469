internal import Domain
package import Engine
internal import Store
internal import Synchronization
internal import Terminal

/// What every import does: shows how far it is, writes down what it did not take, and tells the rest.
package struct ImportActions {
  package let options: RecordOptions
  /// Where lines go that were not taken; nil refuses the file instead.
  package let skipBad: String?
  package let dryRun: Bool

  package init(options: RecordOptions, skipBad: String?, dryRun: Bool) {
    self.options = options
    self.skipBad = skipBad
    self.dryRun = dryRun
  }

  package func run(_ plan: ImportPlan, file: String) async throws {
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
      let type = try records.catalogue.type(plan.type).definition
      return (outcome, (one: type.label.lowercased(), many: type.plural.lowercased()))
    }
    if let skipBad { try RefusedLines(outcome.refused).write(to: skipBad) }
    // An entry is called so by its own command.
    try report(outcome, plan.type == "maintenance.entry" ? ("entry", "entries") : names)
  }

  private func report(_ outcome: ImportOutcome, _ names: (one: String, many: String)) throws {
    for value in outcome.unread.prefix(10) {
      Message.tell("line \(value.line): \(value.column): \(Quoted(value.text)) cannot be read; left empty")
    }
    if outcome.unread.count > 10 { Message.tell("and \(outcome.unread.count - 10) more values left empty") }
    if let skipBad, !outcome.refused.isEmpty {
      Message.tell("\(Figures.grouped(outcome.refused.count)) lines were refused; see \(skipBad)")
    }
    let made = outcome.created.sorted { $0.key < $1.key }
    try options.output.report(
      sentence(outcome, outcome.imported == 1 ? names.one : names.many),
      [
        (Column("imported"), .integer(outcome.imported)),
        (Column("updated"), .integer(outcome.updated)),
        (Column("already_there"), .integer(outcome.alreadyThere)),
        (Column("refused"), .integer(outcome.refused.count)),
        (Column("left_empty"), .integer(outcome.unread.count)),
        (Column("created"), .nested(made.map { .init($0.key, .integer($0.value)) })),
      ]
    )
  }

  private func sentence(_ outcome: ImportOutcome, _ noun: String) -> String {
    var parts = ["\(dryRun ? "would have " : "")imported \(Figures.grouped(outcome.imported)) \(noun)"]
    if outcome.updated > 0 { parts.append("changed \(Figures.grouped(outcome.updated))") }
    if outcome.alreadyThere > 0 {
      parts.append("\(Figures.grouped(outcome.alreadyThere)) were there already")
    }
    let made = outcome.created.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return parts.joined(separator: ", ") + (made.isEmpty ? "" : "; made \(made.joined(separator: ", "))")
  }
}
