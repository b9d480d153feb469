internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal

struct PostgresCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "postgres",
    abstract: "Upgrade the embedded PostgreSQL",
    discussion: """
      Examples:
        fettle postgres list
        fettle postgres upgrade
        fettle postgres revert
      """,
    subcommands: [List.self, Upgrade.self, Revert.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List versions: installed, in use, and kept data",
      scope: .computer,
      discussion: """
        `kept` are the data of before an upgrade. Remove their folder when you will
        not go back.

        Example: fettle postgres list
        """
    )
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let cluster = EmbeddedCluster(home: try ClusterHome.locate())
      let versions = ClusterVersions(cluster)
      var rows: [[Cell]] = []
      for major in PostgresBinaries.installed() where major != versions.major {
        rows.append([.integer(major), "installed", .string("\(PostgresBinaries.root)/\(major)/bin")])
      }
      if let major = versions.major { rows.append([.integer(major), "in use", .string(cluster.data)]) }
      rows += versions.kept.map { [.integer($0.major), "kept", .string($0.folder)] }
      try output.print(
        Table(columns: [Column("version", kind: .number), Column("state"), Column("folder")], rows: rows)
      )
    }
  }

  struct Upgrade: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the data to a newer version of PostgreSQL",
      scope: .installation,
      discussion: """
        Stop `fettle up` first; workers and servers may keep running, and wait. Dumps
        every database into a new cluster, compares every table, takes over settings
        and open jobs, and then uses the new data. The old data are kept: `fettle
        postgres revert` goes back to them. If anything fails, they stay in use.

        Needs free space of one and a half times the databases.

        Examples:
          fettle postgres upgrade
          fettle postgres upgrade --to 17
          fettle postgres upgrade --programs /opt/postgresql-18/bin
        """
    )
    @Option(help: ArgumentHelp("Version (default: the newest that is installed)", valueName: "major"))
    var to: Int?
    @Option(help: ArgumentHelp("Folder of its programs (default: FETTLE_PG_BIN)", valueName: "folder"))
    var programs: String?
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let began = ContinuousClock.now
      let origin = try await PostgresCommand.origin()
      let old = origin.major
      let (binaries, new) = try await newer(than: old)
      let outcome = try await PostgresUpgrade(
        origin: origin,
        programs: binaries,
        new: new,
        backups: try BackupFolder.ofInstallation()
      ).run()
      let seconds = Int((ContinuousClock.now - began).components.seconds)
      try output.report(
        "PostgreSQL \(new) has the data of \(old): \(outcome.relations) tables and sequences are equal; "
          + "\(seconds) s",
        [
          (Column("from", kind: .number), .integer(old)), (Column("to", kind: .number), .integer(new)),
          (Column("compared", kind: .number), .integer(outcome.relations)),
          (Column("jobs", kind: .number), .integer(outcome.jobs)),
          (Column("kept"), .string(outcome.kept)), (Column("seconds", kind: .number), .integer(seconds)),
        ]
      )
      Message.tell(
        "the old data are kept in \(outcome.kept): `fettle postgres revert` goes back; remove them when you are sure"
      )
      if PostgresBinaries.installed().contains(new) { return }
      Message.tell("set FETTLE_PG_BIN=\(binaries.directory) for every process of Fettle")
    }

    /// Returns the programs of a newer version.
    private func newer(than old: Int) async throws -> (PostgresBinaries, Int) {
      let environment = ProcessInfo.processInfo.environment
      let folders =
        [programs.map { ClusterHome(directory: $0).directory } ?? environment["FETTLE_PG_BIN"] ?? ""]
        + (programs == nil ? PostgresBinaries.installed().reversed() : [])
        .map { "\(PostgresBinaries.root)/\($0)/bin" }
      for folder in folders where !folder.isEmpty {
        let found = try PostgresBinaries.find(environment: ["FETTLE_PG_BIN": folder])
        let major = try await found.major()
        guard major > old, to.map({ $0 == major }) ?? true else { continue }
        try requireComplete(found, major)
        return (found, major)
      }
      throw DomainError(
        .notFound,
        "the data are of PostgreSQL \(old), and \(to.map { "\($0) is not found" } ?? "no later one is found")",
        hint: "install one, such as `apt-get install postgresql-\(old + 1)`, or name it with --programs"
      )
    }

    private func requireComplete(_ found: PostgresBinaries, _ major: Int) throws {
      for program in ["pg_dump", "pg_dumpall", "pg_restore", "pg_resetwal", "psql", "vacuumdb"]
      where !FileManager.default.isExecutableFile(atPath: found.path(program)) {
        throw DomainError(
          .notFound,
          "\(found.path(program)) is missing",
          hint: "install it with `apt-get install postgresql-\(major) postgresql-client-\(major)`"
        )
      }
    }
  }

  struct Revert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Go back to the data of before an upgrade",
      scope: .installation,
      discussion: """
        What was written since the upgrade is not in them, and stays in the folder
        that is kept instead. They begin a new epoch, so that devices send their
        changes again, and who was erased since is erased again. Jobs that were open
        then run again.

        Example: fettle postgres revert --to 15
        """
    )
    @Option(help: ArgumentHelp("Version (default: the newest that is kept)", valueName: "major"))
    var to: Int?
    @Flag(help: "Do not ask for confirmation") var yes = false
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let home = try ClusterHome.locate()
      let versions = ClusterVersions(EmbeddedCluster(home: home))
      guard let kept = versions.kept.last(where: { kept in to.map { $0 == kept.major } ?? true }) else {
        throw DomainError(
          .notFound,
          "no data \(to.map { "of PostgreSQL \($0) " } ?? "")are kept here",
          hint: "list what is kept with `fettle postgres list`, or restore a backup"
        )
      }
      let question = "Go back to PostgreSQL \(kept.major), without what was written since the upgrade?"
      guard try Prompt().confirm(question, assumeYes: yes) else { return Message.tell("nothing was changed") }
      let replay = try await PostgresRevert(
        origin: PostgresCommand.origin(of: kept.major),
        kept: kept,
        store: storage.store()
      ).run()
      try output.report(
        "PostgreSQL \(kept.major) is in use again"
          + (replay.erased > 0 ? "; \(replay.erased) erased again" : ""),
        [
          (Column("to", kind: .number), .integer(kept.major)),
          (Column("erased", kind: .number), .integer(replay.erased)),
        ]
      )
      for failure in replay.failures { Message.tell(failure) }
      if !replay.failures.isEmpty {
        throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue)
      }
    }
  }

  /// An embedded cluster with the programs of its data.
  struct Origin {
    let cluster: EmbeddedCluster
    let programs: PostgresBinaries
    let major: Int
  }

  /// Returns the embedded cluster.
  ///
  /// - Parameter major: the version of its data; nil for that of the data in use.
  static func origin(of major: Int? = nil) async throws -> Origin {
    let home = try ClusterHome.locate()
    guard let major = major ?? ClusterVersions(EmbeddedCluster(home: home)).major else {
      throw DomainError(
        .notFound,
        "there is no embedded PostgreSQL in \(home.directory)",
        hint: "set FETTLE_HOME to the folder of `fettle up`; upgrade a server of your own with its own tools"
      )
    }
    var environment = ProcessInfo.processInfo.environment
    if let chosen = environment["FETTLE_PG_BIN"], !chosen.isEmpty {
      // It may name the programs of the other version.
      let found = try await PostgresBinaries.find(environment: environment).major()
      if found != major { environment["FETTLE_PG_BIN"] = nil }
    }
    let programs = try PostgresBinaries.find(major: major, environment: environment)
    environment["FETTLE_PG_BIN"] = programs.directory
    let cluster = EmbeddedCluster(home: home, timeLimit: .seconds(3_600), environment: environment)
    return Origin(cluster: cluster, programs: programs, major: major)
  }
}
