internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a company from an archive",
      scope: .installation,
      discussion: """
        Checks every byte of the archive, then writes the company in one transaction: all
        of it, or nothing. The schema and the apps must be the same as where it was
        exported. People are found by address, or get an account without a password,
        with which they sign in by a new one or by an invitation. Somebody who was erased
        here stays erased: the company has a former member.

        The ids stay the same, so that links and spreadsheets still fit; a company that
        is here already is refused. With --new-ids, its rows get other ids: for a copy
        beside the first company. Its history is sealed again, because hashes cover ids.

        --dry-run does everything but the commit.

        Examples:
          fettle company import acme.zip
          fettle company import acme.zip --new-ids --slug acme-copy
          fettle company import acme.zip --dry-run
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Archive of `fettle company export`", completion: .file(extensions: ["zip"]))
    var file: String
    @Flag(help: "Give the company and its rows new ids") var newIds = false
    @Option(help: ArgumentHelp("Short name (default: that of the archive)", valueName: "slug"))
    var slug: String?
    @Flag(help: "Check and write everything, and keep nothing") var dryRun = false

    func run() async throws {
      var options = CompanyImport.Options()
      options.hasNewIDs = newIds
      options.slug = slug
      options.isDry = dryRun
      options.erased = try KeyLocation.ledger().read().filter { $0.kind == "person" }.map(\.digest)
      let outcome = try await connection.withServices { [options] services in
        try await CompanyImport(services, try storage.store(), actor: .operator(Operator.name))
          .run(file, options)
      }
      let manifest = outcome.manifest
      try output.report(
        "\(dryRun ? "would import" : "imported") \(outcome.slug): \(manifest.rows) rows, \(manifest.files) files, "
          + "\(outcome.people.known) people known here and \(outcome.people.new) new"
          + (outcome.people.erased > 0 ? ", \(outcome.people.erased) erased again" : ""),
        [
          (Column("slug"), .string(outcome.slug)), (Column("id"), Cell(outcome.company)),
          (Column("rows", kind: .number), .integer(Int(clamping: manifest.rows))),
          (Column("files", kind: .number), .integer(manifest.files)),
          (Column("known_people", kind: .number), .integer(outcome.people.known)),
          (Column("new_people", kind: .number), .integer(outcome.people.new)),
          (Column("erased_people", kind: .number), .integer(outcome.people.erased)),
        ]
      )
    }
  }
}
