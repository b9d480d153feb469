internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension RecordCommand {
  struct ImportList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List imports, newest first",
      scope: .company,
      discussion: "Example: fettle record import list --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Maximum number of rows") var limit = 100

    func validate() throws {
      guard (1...100_000).contains(limit) else { throw ValidationError("--limit is between 1 and 100000") }
    }

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let imports = Imports(services, try await Records.open(services))
        try options.output.print(
          Table(
            columns: [
              Column("import", kind: .number), Column("at", kind: .instant),
              Column("imported", kind: .number), Column("undone_at", kind: .instant), Column("file"),
              Column("changed", kind: .number), Column("created", kind: .number), Column("who"),
              Column("type"),
              Column("undone_by"),
            ],
            rows: try await imports.newest(acting, limit: limit).map { row in
              [
                .integer(row.number), Cell(row.at), .integer(row.imported), Cell(row.undoneAt),
                .string(row.file),
                .integer(row.changed), .integer(row.created), .string(row.actor), .string(row.type),
                .optional(row.undoneBy),
              ]
            }
          )
        )
      }
    }
  }

  struct ImportUndo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo",
      abstract: "Remove the records that an import created",
      scope: .company,
      discussion: """
        Refused if anything else has touched one of them since: a change, a comment,
        a file, or a record that refers to it; the message names them. Values that
        the import changed in existing records stay. The file can be imported again.

        Examples:
          fettle record import undo 3 --dry-run --company acme
          fettle record import undo 3 --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: KeyOption
    @Flag(help: "Report what would happen, then roll back") var dryRun = false
    @Argument(help: "Number of the import, as `fettle record import list` shows it") var number: Int64

    func run() async throws {
      try await key.change(options.company, options.output, isTrial: dryRun) { services, acting in
        let records = try await Records.open(services)
        let undone = try await Imports(services, records).undo(acting, number: number, dryRun: dryRun)
        let removed = undone.removed.sorted { $0.key < $1.key }
        let counts = try removed.map { name, count in
          let type = try records.catalogue.type(name).definition
          return "\(Figures.grouped(count)) \((count == 1 ? type.label : type.plural).lowercased())"
        }
        let verb = dryRun ? "would remove" : "removed"
        var parts = ["\(verb) \(counts.isEmpty ? "nothing" : counts.joined(separator: ", "))"]
        if undone.alreadyDeleted > 0 { parts.append("\(undone.alreadyDeleted) were deleted before") }
        if undone.changed > 0 { parts.append("\(undone.changed) changed records stay as they are") }
        return ChangeReport(
          "\(dryRun ? "would undo" : "undid") import \(number): \(parts.joined(separator: "; "))",
          [
            (Column("import"), .integer(number)), (Column("type"), .string(undone.type)),
            (Column("removed"), .nested(removed.map { .init($0.key, .integer($0.value)) })),
            (Column("already_deleted"), .integer(undone.alreadyDeleted)),
            (Column("changed"), .integer(undone.changed)), (Column("dry_run"), .bool(dryRun)),
          ]
        )
      }
    }
  }
}
