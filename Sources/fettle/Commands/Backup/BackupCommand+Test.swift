internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Secrets
internal import Terminal

extension BackupCommand {
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore the newest backup and verify it",
      scope: .computer,
      discussion: """
        Restores into a folder that is removed afterwards, and says how long a restore
        takes. Exit code 8 if the restored data differ from the backup. `fettle doctor`
        warns if no test has succeeded for 40 days.

        Example: fettle backup test --in /var/tmp/fettle-test
        """
    )
    @Option(
      name: .customLong("in"),
      help: ArgumentHelp(
        "Empty folder for the restored data (default: in the installation)",
        valueName: "folder"
      )
    )
    var place: String?
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let folder = try BackupFolder.ofInstallation()
      let settings = try folder.requiredSettings()
      let target = ClusterHome(directory: place ?? "\(folder.path)/test").directory
      let key = try KeyLocation.file()
      let began = ContinuousClock.now
      let outcome = try await RestoreRun(
        place: try folder.place(settings),
        passphrase: try folder.passphrase(),
        target: target,
        key: try key.existing() == nil ? .none : .file(key.path),
        ledger: try KeyLocation.ledger()
      ).run()
      let seconds = Int((ContinuousClock.now - began).components.seconds)
      try FileManager.default.removeItem(atPath: target)
      if outcome.differences.isEmpty { try folder.recordTest(at: .now) }
      try folder.record(.test, failed: !outcome.differences.isEmpty)
      try RestoreCommand.report(outcome, as: "restored and removed", in: output, seconds: seconds)
    }
  }

  struct Schedule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a schedule of backups for systemd or cron",
      scope: .computer,
      discussion: """
        The package has the units fettle-backup.timer and fettle-backup.service. Without
        systemd, prints lines for crontab: a backup each night, a test each month.

        Example: fettle backup schedule --at 02:30 | crontab -
        """
    )
    @Option(help: ArgumentHelp("Time of the nightly backup", valueName: "HH:MM")) var at = "02:30"

    func validate() throws {
      let parts = at.split(separator: ":", omittingEmptySubsequences: false).map {
        $0.count == 2 ? Int($0) : nil
      }
      guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
        (0..<60).contains(minute)
      else { throw ValidationError("--at is a time such as 02:30") }
    }

    func run() async throws {
      _ = try BackupFolder.ofInstallation().requiredSettings()
      if FileManager.default.fileExists(atPath: "/run/systemd/system"),
        FileManager.default.fileExists(atPath: "/usr/lib/systemd/system/fettle-backup.timer")
      {
        return try BufferedOutput.print("systemctl enable --now fettle-backup.timer\n")
      }
      let home = try ClusterHome.locate().directory
      let path = realpath("/proc/self/exe", nil)
      defer { free(path) }
      // A % ends the command of a line of crontab.
      let program = ShellWord.quoted(path.map { String(cString: $0) } ?? "fettle").replacing("%", with: "\\%")
      let parts = at.split(separator: ":")
      try BufferedOutput.print(
        """
        FETTLE_HOME=\(home)
        \(parts[1]) \(parts[0]) * * * \(program) backup run
        \(parts[1]) \(parts[0]) 1 * * sleep 3h; \(program) backup test

        """
      )
    }
  }
}
