internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Terminal

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up the database, the files and the keys",
    discussion: """
      pgBackRest saves a PostgreSQL on this machine, and pg_dump one elsewhere; restic
      saves the files of records, and age the key file.

      Examples:
        fettle backup init --to /mnt/backup/fettle --recipient age1…
        fettle backup run
        fettle backup list
        fettle restore --from /mnt/backup/fettle --into /var/lib/fettle-copy
      """,
    subcommands: [Init.self, Run.self, List.self, Verify.self, Test.self, Schedule.self, Metrics.self],
    defaultSubcommand: List.self
  )

  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set up backups and print their passphrase",
      scope: .installation,
      discussion: """
        With the PostgreSQL of `fettle up`, or with the cluster of --data, backups are
        full and incremental, and the log is archived each minute: any second since
        the oldest backup can be restored. With a server elsewhere, or with --dump,
        each backup is a dump.

        The repository is encrypted with a passphrase, which is printed once. Keep it
        apart from the backups and from this machine: without it nothing can be
        restored. The key file is saved for an age recipient only, whose secret key
        should not be on this machine either.

        The credentials of a bucket come from the environment, and are kept in files
        that only their users can read.

        Examples:
          fettle backup init --to /mnt/backup/fettle --recipient age1…
          fettle backup init --to s3://backups/fettle --endpoint s3.example
          fettle backup init --to /mnt/backup/fettle --data /var/lib/postgresql/15/main
        """
    )
    @Option(
      help: ArgumentHelp("Folder on another disk, or s3://bucket/prefix", valueName: "place")
    )
    var to: String
    @OptionGroup var bucket: BucketOptions
    @Option(
      help: ArgumentHelp("Data folder of your own PostgreSQL on this machine", valueName: "folder")
    )
    var data: String?
    @Flag(help: "Make dumps, although the server is on this machine") var dump = false
    @Option(help: ArgumentHelp("Public key that can read the saved key file", valueName: "age1…"))
    var recipient: String?
    @Option(help: ArgumentHelp("Number of full backups or dumps to keep, 1 to 999", valueName: "number"))
    var keep = 4
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if dump, data != nil { throw ValidationError("--dump and --data exclude each other") }
      if !(1...999).contains(keep) { throw ValidationError("--keep is 1 to 999") }
      if let recipient,
        !recipient.hasPrefix("age1") || recipient.contains(where: { !$0.isLetter && !$0.isNumber })
      {
        throw ValidationError("--recipient is a public key of age, such as age1ql3z7hjy54…")
      }
      try bucket.validate(to, "--to")
      if to.contains(where: \.isNewline) { throw ValidationError("--to contains a line break") }
    }

    func run() async throws {
      let cluster = data == nil && connection.isEmbedded && !dump
      let engine: BackupSettings.Engine = data != nil || cluster ? .pgbackrest : .dump
      let outcome = try await BackupInit(
        folder: try BackupFolder.ofInstallation(),
        place: try bucket.place(to),
        engine: engine,
        data: try data ?? (cluster ? EmbeddedCluster(home: try ClusterHome.locate()).data : nil),
        keep: keep,
        recipient: recipient
      ).run()
      if recipient == nil {
        Message.tell(
          "THE KEY FILE IS NOT SAVED: copy fettle.key elsewhere, or name your public key of age with --recipient"
        )
      }
      if outcome.needsRestart {
        Message.tell("restart PostgreSQL before the first `fettle backup run`, so that it archives its log")
      }
      try output.reveal(
        outcome.passphrase,
        as: "passphrase",
        note: "backups go to \(to); keep this passphrase elsewhere, it is not shown again:",
        [
          (Column("repository"), .string(to)), (Column("engine"), .string(engine.rawValue)),
          (Column("restart"), .bool(outcome.needsRestart)),
        ]
      )
      if output.isForPeople, !outcome.needsRestart {
        Message.tell("make the first one with `fettle backup run`")
      }
    }
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a backup",
      scope: .installation,
      discussion: """
        Saves the database, then the files, then the manifest. The first backup of a
        week is full, and the others save what has changed since.

        Example: fettle backup run --full
        """
    )
    @Flag(help: "Make a full backup") var full = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let folder = try BackupFolder.ofInstallation()
      let manifest = try await BackupRun(
        folder: folder,
        settings: try folder.requiredSettings(),
        connection: connection,
        storage: storage
      ).run(full: full ? true : nil)
      try output.report(
        "saved \(manifest.label): \(manifest.kind), \(Figures.grouped(Int(manifest.rows.values.reduce(0, +)))) rows, "
          + "\(manifest.files.count) files",
        [
          (Column("label"), .string(manifest.label)), (Column("kind"), .string(manifest.kind)),
          (Column("ended_at", kind: .instant), .string(manifest.endedAt)),
          (Column("rows"), .integer(Int(manifest.rows.values.reduce(0, +)))),
          (Column("files"), .integer(manifest.files.count)),
        ]
      )
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List backups and the keys that they need",
      scope: .computer,
      discussion: "Example: fettle backup list --output json"
    )
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let folder = try BackupFolder.ofInstallation()
      let settings = try folder.requiredSettings()
      let own = (try? folder.passphrase()).map(BackupFolder.fingerprint(ofPassphrase:))
      let manifests = try folder.manifests()
      try output.print(
        Table(
          columns: [
            Column("label", kind: .id), Column("kind"), Column("ended_at", kind: .instant),
            Column("rows", kind: .number), Column("files", kind: .number),
            Column("passphrase", kind: .status(["here": .green, "missing": .red])),
            Column("key_file", kind: .status(["saved": .green, "not saved": .red])),
          ],
          rows: manifests.map { manifest in
            [
              .string(manifest.label), .string(manifest.kind), .string(manifest.endedAt),
              .integer(Int(manifest.rows.values.reduce(0, +))), .integer(manifest.files.count),
              .string(manifest.keys.passphrase == own ? "here" : "missing"),
              .string(manifest.keys.recipient == nil ? "not saved" : "saved"),
            ]
          }
        )
      )
      guard output.isForPeople, let last = manifests.last else { return }
      if last.keys.passphrase != own {
        Message.tell("THE PASSPHRASE \(last.keys.passphrase) IS NOT HERE: without it nothing can be restored")
      }
      if let recipient = settings.recipient {
        Message.tell("a restore needs the passphrase, and the secret key of \(recipient) for the key file")
      } else {
        Message.tell(
          "THE KEY FILE IS NOT IN THE BACKUPS: a restore needs the passphrase and your own copy of it"
        )
      }
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check every byte of the backups",
      scope: .computer,
      discussion: """
        Reads the repositories of pgBackRest and restic, and names what is damaged, or
        missing in the archive of the log since the oldest backup. Exit code 8 with
        damage, 0 without.

        Example: fettle backup verify
        """
    )
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let folder = try BackupFolder.ofInstallation()
      let settings = try folder.requiredSettings()
      let findings = try await BackupVerification(folder: folder, settings: settings).run()
      try folder.record(.verify, failed: !findings.isEmpty)
      if !findings.isEmpty || !output.isForPeople {
        try output.print(
          Table(
            columns: [Column("part"), Column("damage", kind: .advice)],
            rows: findings.map { [.string($0), .string($1)] }
          )
        )
      }
      guard findings.isEmpty else { throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue) }
      Message.tell("verified: every byte of the backups")
    }
  }
}
