internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

struct FileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Manage the files of records",
    discussion: "Example: fettle file list maintenance.machine RM-001 --company acme",
    subcommands: [Add.self, List.self, Show.self, Get.self, Remove.self, Restore.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the files of a record",
      scope: .company,
      discussion: "Example: fettle file list maintenance.machine RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @Flag(help: "List deleted files that can be restored") var deleted = false

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let id = try await records.resolve(acting, type: subject.type, subject.record)
        let files = try await Attachments(services, records)
          .list(acting, type: subject.type, id: id, deleted: deleted)
        try options.output.print(
          Table(
            columns: [
              Column("name"), Column("kind"), Column("state"), Column("media_type", title: "type"),
              Column("size", kind: .number), Column("author", title: "by"), Column("at", kind: .instant),
              Column("id"),
            ],
            rows: files.map { file in
              [
                .string(file.name), .string(file.kind), .string(file.state.rawValue), .string(file.mediaType),
                .integer(file.size), .optional(file.author), Cell(file.createdAt), Cell(file.id),
              ]
            }
          )
        )
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a file",
      scope: .company,
      discussion: "Example: fettle file show 0192f7a0-5b1c-7000-8000-000000000001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var file: FileArgument

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let row = try await Attachments(services, try await Records.open(services)).show(
          acting,
          try file.id()
        )
        try options.output.printRecord([
          (Column("id"), Cell(row.id)), (Column("name"), .string(row.name)),
          (Column("kind"), .string(row.kind)),
          (Column("state"), .string(row.state.rawValue)), (Column("refusal"), .optional(row.refusal)),
          (Column("media_type"), .string(row.mediaType)), (Column("size", kind: .number), .integer(row.size)),
          (Column("record_type"), .string(row.recordType)), (Column("record_id"), Cell(row.recordID)),
          (Column("author"), .optional(row.author)),
          (Column("created_at", kind: .instant), Cell(row.createdAt)),
          (Column("deleted_at", kind: .instant), Cell(row.deletedAt)),
        ])
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a file, which can be restored for 30 days",
      scope: .company,
      discussion: "Example: fettle file remove 0192f7a0-5b1c-7000-8000-000000000001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var file: FileArgument
    @OptionGroup var key: KeyOption
    @Flag(help: "Report what would happen, then roll back") var dryRun = false

    func run() async throws {
      try await key.change(options.company, options.output, isTrial: dryRun) { services, acting in
        let id = try file.id()
        try await Attachments(services, try await Records.open(services)).remove(acting, id, dryRun: dryRun)
        return ChangeReport(
          dryRun ? "would delete the file" : "deleted the file",
          [(Column("id"), Cell(id))]
        )
      }
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore a deleted file",
      scope: .company,
      discussion: "Example: fettle file restore 0192f7a0-5b1c-7000-8000-000000000001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var file: FileArgument
    @OptionGroup var key: KeyOption
    @Flag(help: "Report what would happen, then roll back") var dryRun = false

    func run() async throws {
      try await key.change(options.company, options.output, isTrial: dryRun) { services, acting in
        let id = try file.id()
        try await Attachments(services, try await Records.open(services)).restore(acting, id, dryRun: dryRun)
        return ChangeReport(
          dryRun ? "would restore the file" : "restored the file",
          [(Column("id"), Cell(id))]
        )
      }
    }
  }
}

/// The id of a file as an argument.
struct FileArgument: ParsableArguments {
  @Argument(help: "Id of the file") var file: String

  /// - Throws: `invalid_id`.
  func id() throws -> UUID {
    guard let id = UUID(text: file) else {
      throw DomainError(
        .invalidID,
        "\(Quoted(file)) is not the id of a file",
        hint: "list them with `fettle file list`"
      )
    }
    return id
  }
}
