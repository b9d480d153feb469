internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a company to an archive",
      scope: .namedCompany,
      discussion: """
        The archive is a ZIP with a file of JSON lines for each table, as one moment has
        them, the stored files, the workflows, and the people by address. It is
        personal data: only its owner can read the file.

        Passwords, second factors, tokens, webhooks with their secrets, sessions,
        devices and waiting jobs do not travel; the output says which rows stay. To move
        a company, archive it first, so that nobody writes to it meanwhile.

        Examples:
          fettle company export acme acme.zip
          fettle company archive acme && fettle company export acme acme.zip
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "File to write, which must not exist", completion: .file(extensions: ["zip"]))
    var file: String

    func run() async throws {
      let id = try await company.withActingContext { services, acting in
        try await Archives(services).noteExport(acting)
        return acting.company.id
      }
      let manifest = try await company.connection.withReader { database in
        try await CompanyExport(database, try storage.store(), program: Version.number)
          .run(company: id, to: file)
      }
      try output.report(
        "wrote \(manifest.rows) rows and \(manifest.files) files of \(company.company) to \(file)",
        [
          (Column("file"), .string(file)),
          (Column("rows", kind: .number), .integer(Int(clamping: manifest.rows))),
          (Column("members", kind: .number), .integer(manifest.members.count)),
          (Column("files", kind: .number), .integer(manifest.files)),
          (Column("left_out"), .list(manifest.leftOut.map { .string("\($0.table): \($0.rows)") })),
        ]
      )
      for left in manifest.leftOut {
        Message.tell("\(left.table): \(left.rows) rows are left out, \(left.reason)")
      }
    }
  }
}
