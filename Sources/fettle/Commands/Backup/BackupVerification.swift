internal import Cluster
internal import FoundationEssentials

/// Checks the repositories of backups.
struct BackupVerification {
  let folder: BackupFolder
  let settings: BackupSettings

  /// Returns the damaged parts with the words of the program that found them.
  func run() async throws -> [(part: String, damage: String)] {
    var findings: [(String, String)] = []
    if settings.engine == .pgbackrest {
      let engine = try PgBackRest(folder: folder.engineFolder, data: ServerData(owning: settings.data ?? ""))
      findings += try await engine.verify().map { ("database", $0) }
      do {
        findings += try await engine.gaps().map { ("database", $0) }
      } catch let error as ClusterError where error.kind == .programFailed {
        findings.append(("database", error.message))
      }
    }
    let restic = try Restic(folder.place(settings), passphraseFile: folder.passphraseFile)
    do {
      try await restic.run(["check", "--read-data"])
    } catch let error as ClusterError where error.kind == .programFailed {
      findings.append(("files", error.message))
    }
    return findings
  }
}
