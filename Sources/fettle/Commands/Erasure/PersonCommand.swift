internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store
internal import Terminal

struct PersonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person",
    abstract: "Export or erase what is kept about a person",
    discussion: """
      A person has one account for all companies.

      Examples:
        fettle person export ana@acme.example --to ana
        fettle person erase ana@acme.example --dry-run
        fettle person erase ana@acme.example --yes
      """,
    subcommands: [Export.self, Erase.self]
  )

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write what is kept about a person to a folder",
      scope: .installation,
      discussion: """
        Writes every row that has the person's id, as a line of JSON in a file for each
        table, and the files that the person uploaded. Secrets are left out. A company
        decides what it releases of its own records.

        Example: fettle person export ana@acme.example --to ana
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "E-mail address of the person") var address: String
    @Option(help: ArgumentHelp("Folder, which must not exist", valueName: "folder")) var to: String

    func run() async throws {
      let user = try await connection.withServices { try await PersonErasure.account(address, $0.database) }
      guard !FileManager.default.fileExists(atPath: to) else {
        throw DomainError(.alreadyExists, "\(to) exists already", hint: "name a folder that does not exist")
      }
      do {
        try await write(user)
      } catch {
        try? FileManager.default.removeItem(atPath: to)  // the failure is the news
        throw error
      }
    }

    private func write(_ user: UUID) async throws {
      umask(0o077)
      try FileManager.default.createDirectory(
        atPath: "\(to)/files",
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      let store = try storage.store()
      let folder = to
      let (tables, files) = try await connection.withReader { database in
        let writer = LineFiles(folder: folder)
        try await PersonExport.rows(of: user, database) { try writer.add($1.text, to: $0) }
        let files = try await PersonExport.files(of: user, database)
        return (try writer.finish(), files)
      }
      for file in files {
        let key = BlobKey(company: file.company, digest: file.digest)
        let bytes = try await stored { () async throws(FilesError) in
          try await store.all(key, size: file.size)
        }
        // The name is the uploader's: only its ending is kept.
        let ending = file.name.split(separator: ".").last.map { "." + $0.filter(\.isLetter).prefix(8) } ?? ""
        try Data(bytes).write(to: URL(filePath: "\(to)/files/\(file.id.text)\(ending)"))
      }
      let rows = tables.values.reduce(0, +)
      try output.report(
        "wrote \(rows) rows of \(tables.count) tables and \(files.count) files to \(to)",
        [
          (Column("folder"), .string(to)), (Column("rows", kind: .number), .integer(rows)),
          (Column("tables", kind: .number), .integer(tables.count)),
          (Column("files", kind: .number), .integer(files.count)),
        ]
      )
    }
  }

  struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Erase a person in all companies",
      scope: .installation,
      discussion: """
        Deletes the account, sign-ins, devices, notices and private records of the
        person. Hours, costs and history stay under the name of a former member; what
        apps mark as personal is emptied. Refused for the only owner of a company. An
        erasure that was interrupted is continued by running the command again.

        --dry-run counts the rows that would be deleted or changed; --text looks for
        further texts, such as a nickname. After the erasure, the tables are searched
        again for the names, the address and the id. Exit code 8 if anything is left,
        such as a name in a code, or one of a single word within another name: change
        what is listed by hand.

        Example: fettle person erase ana@acme.example --yes
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "E-mail address of the person") var address: String
    @Flag(help: "Count what would be erased, and change nothing") var dryRun = false
    @Option(help: ArgumentHelp("Another text to look for; repeatable", valueName: "text"))
    var text: [String] = []
    @Flag(help: "Do not ask for confirmation") var yes = false

    func run() async throws {
      try await connection.withServices { services in
        let user = try await PersonErasure.account(address, services.database)
        let texts = try await connection.withReader { [text] in
          try await PersonTexts.read(of: user, and: text, $0)
        }
        if dryRun { return try show(try await remainders(of: texts)) }
        let question = "Erase the account of \(address) in all companies, so that nobody can restore it?"
        guard try Prompt().confirm(question, assumeYes: yes) else {
          return Message.tell("nothing was changed")
        }
        let outcome = try await PersonErasure(
          services.database,
          try storage.store(),
          try KeyLocation.ledger(),
          actor: .operator(Operator.name)
        ).run(user: user)
        let left = try await remainders(of: texts)
        try output.report(
          "erased \(outcome.rows) rows in \(outcome.companies) companies, \(outcome.files) files; "
            + "\(left.reduce(0) { $0 + $1.rows }) rows are left",
          [
            (Column("erasure"), Cell(outcome.erasure)),
            (Column("rows", kind: .number), .integer(Int(clamping: outcome.rows))),
            (Column("companies", kind: .number), .integer(outcome.companies)),
            (Column("files", kind: .number), .integer(outcome.files)),
            (Column("left"), .list(left.map { .string("\($0.table): \($0.rows)") })),
          ]
        )
        guard left.isEmpty else {
          for remainder in left {
            let place = remainder.company.map { "\(remainder.table) in \($0)" } ?? remainder.table
            let rest = remainder.rows - Int64(remainder.samples.count)
            let rows = remainder.samples + (rest > 0 ? ["\(rest) more"] : [])
            Message.tell("a name, the address or the id is left in \(place): \(rows.joined(separator: ", "))")
          }
          throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue)
        }
      }
    }

    private func remainders(of texts: PersonTexts) async throws -> [PersonTexts.Remainder] {
      try await connection.withReader { try await texts.remainders($0) }
    }

    private func show(_ found: [PersonTexts.Remainder]) throws {
      try output.print(
        Table(
          columns: [Column("table"), Column("company"), Column("rows", kind: .number)],
          rows: found.map {
            [.string($0.table), $0.company.map(Cell.string) ?? .null, .integer(Int(clamping: $0.rows))]
          }
        )
      )
    }
  }
}

extension ConnectionOptions {
  /// Runs a body as the login that reads every row.
  func withReader<Value>(_ body: (Database) async throws -> Value) async throws -> Value {
    try await open(as: .backup, poolSize: 1, accepting: .every).thenClose(body)
  }
}
