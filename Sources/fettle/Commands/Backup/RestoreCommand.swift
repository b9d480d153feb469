internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Store
internal import Terminal

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a backup into an empty folder",
    scope: .computer,
    discussion: """
      The folder is an installation of its own afterwards. Its PostgreSQL has a private
      socket and archives nothing. All queues are paused, so that it sends no mail and no
      webhook until `fettle queue resume --all`. The data begin a new epoch, and are
      compared with the manifest and verified. Exit code 8 if they differ. Companies and
      people that were erased since the backup are erased again.

      Without --to, restores the last state that was archived.

      Examples:
        fettle restore --from /mnt/backup/fettle --into /var/lib/fettle-copy \\
          --passphrase-file passphrase --identity operator.age
        fettle restore --from /mnt/backup/fettle --into copy --key-file fettle.key \\
          --to 2026-11-27T18:30:00+01:00
        fettle restore --from s3://backups/fettle --endpoint s3.example --into copy \\
          --key-file fettle.key
      """
  )
  @Option(help: ArgumentHelp("Folder of the backups, or s3://bucket/prefix", valueName: "place"))
  var from: String
  @OptionGroup var bucket: BucketOptions
  @Option(help: ArgumentHelp("Folder to fill, which is empty or does not exist", valueName: "folder"))
  var into: String
  @Option(help: ArgumentHelp("Time whose state is restored, with its zone", valueName: "time")) var to:
    String?
  @Option(help: ArgumentHelp("Backup to begin from (default: the newest)", valueName: "label")) var backup:
    String?
  @Option(help: ArgumentHelp("File with the passphrase (default: ask for it)", valueName: "file"))
  var passphraseFile: String?
  @Option(help: ArgumentHelp("Your copy of the key file", valueName: "file")) var keyFile: String?
  @Option(help: ArgumentHelp("File with the secret key of age for the saved key file", valueName: "file"))
  var identity: String?
  @Flag(help: "Restore without the key file, which loses secrets") var withoutKey = false
  @Option(help: ArgumentHelp("Ledger of erasures (default: that of this installation)", valueName: "file"))
  var erasures: String?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    try bucket.validate(from, "--from")
    guard [keyFile != nil, identity != nil, withoutKey].count(where: \.self) == 1 else {
      throw ValidationError("name the key file with --key-file or --identity, or add --without-key")
    }
    if let to, Instant(rfc3339: to) == nil {
      throw ValidationError("--to is a time with its zone, such as 2026-11-27T18:30:00+01:00")
    }
  }

  func run() async throws {
    let passphrase = try passphraseFile.map {
      try Self.present(
        $0,
        "passphrase",
        hint: "name the file with --passphrase-file, or leave it out to be asked"
      )
    }
    let source = passphrase.map(SecretSource.file) ?? .prompt("Passphrase of the backups")
    let target = Self.absolute(into)
    let outcome = try await RestoreRun(
      place: try bucket.place(from),
      passphrase: try source.read(),
      target: target,
      time: to.flatMap(Instant.init(rfc3339:)),
      label: backup,
      key: try key(),
      ledger: try erasures.map {
        ErasureLedger(
          path: try Self.present($0, "ledger", hint: "leave out --erasures for that of this installation")
        )
      } ?? KeyLocation.ledger()
    ).run()
    try Self.report(outcome, as: "restored into \(target)", in: output, seconds: nil)
    Message.tell(
      """
      Start it with `FETTLE_HOME=\(ShellWord.quoted(target)) fettle up`. Its queues are paused: if the original is gone for good, \
      `fettle queue resume --all`, then `fettle backup init` to a new folder, since it archives nothing.
      """
    )
  }

  /// Prints what was restored and how it differs.
  ///
  /// - Throws: exit code 8 if it differs.
  static func report(_ outcome: RestoreRun.Outcome, as done: String, in output: OutputOptions, seconds: Int?)
    throws
  {
    let manifest = outcome.manifest
    let time = seconds.map { " in \($0) s" } ?? ""
    try output.report(
      "\(manifest.label) \(done)\(time): \(outcome.files) files, "
        + (outcome.erased > 0 ? "\(outcome.erased) erased again, " : "")
        + (outcome.isVerified ? "verified" : "VERIFICATION FAILED"),
      [
        (Column("label"), .string(manifest.label)), (Column("files"), .integer(outcome.files)),
        (Column("erased", kind: .number), .integer(outcome.erased)),
        (Column("verified"), .bool(outcome.isVerified)),
        (Column("seconds"), seconds.map { .integer($0) } ?? .null),
        (Column("differences"), .string(outcome.differences.joined(separator: "; "))),
      ]
    )
    for difference in outcome.differences { Message.tell("differs: \(difference)") }
    if !outcome.differences.isEmpty { throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue) }
  }

  private func key() throws -> RestoreRun.RestoredKey {
    let hint =
      "name your copy with --key-file, the secret key of age with --identity, or add --without-key, which loses secrets"
    if let keyFile { return .file(try Self.present(keyFile, "key file", hint: hint)) }
    return try identity.map { .identity(try Self.present($0, "secret key", hint: hint)) } ?? .none
  }

  /// Returns the absolute path of a file.
  ///
  /// - Throws: `not_found` if it does not exist.
  private static func present(_ path: String, _ name: String, hint: String) throws -> String {
    let path = absolute(path)
    guard FileManager.default.fileExists(atPath: path) else {
      throw DomainError(.notFound, "there is no \(name) \(Quoted(path))", hint: hint)
    }
    return path
  }

  private static func absolute(_ path: String) -> String { ClusterHome(directory: path).directory }
}
