internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import CoreMetrics
internal import Domain
internal import Jobs
internal import Postgres
internal import Prometheus
internal import Terminal

extension BackupCommand {
  struct Metrics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the state of the backups for Prometheus",
      scope: .installation,
      discussion: """
        Prints metrics in Prometheus's text format: times of the newest backups and of
        the last tested restore, and the state of the archive. With --to, replaces a
        file in the folder of a node exporter's textfile collector. Run it each
        minute. Without an answer of the database, nothing is written, so that an
        alert about old values fires.

        Example: fettle backup metrics --to /var/lib/node_exporter/fettle.prom
        """
    )
    @Option(help: ArgumentHelp("File to replace, which everybody can read", valueName: "file"))
    var to: String?
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let folder = try BackupFolder.ofInstallation()
      _ = try folder.requiredSettings()
      guard let standing = try BackupStanding.read(folder) else { return }
      let archive =
        standing.settings.engine == .pgbackrest
        ? try await connection.open(as: .admin, poolSize: 1).thenClose { try await ArchiveStanding.read($0) }
        : nil
      let text = Self.text(standing, archive)
      guard let to else { return try BufferedOutput.print(text) }
      try BackupFolder.write(text, to: ClusterHome(directory: to).directory, mode: 0o644)
    }

    /// Returns the metrics in the text format.
    private static func text(_ standing: BackupStanding, _ archive: ArchiveStanding?) -> String {
      let registry = MetricsRegistry(JobMetricNames.backups)
      func set(_ name: String, _ value: Double, _ labels: [(String, String)] = []) {
        Meter(label: "fettle_backup_\(name)", dimensions: labels, factory: registry).set(value)
      }
      func seconds(_ time: Instant?) -> Double { time.map { Double($0.microseconds) / 1e6 } ?? 0 }
      set("timestamp_seconds", seconds(standing.newest[standing.baseKind]), [("kind", standing.baseKind)])
      for (kind, time) in standing.newest { set("timestamp_seconds", seconds(time), [("kind", kind)]) }
      set("test_timestamp_seconds", seconds(standing.tested))
      set("on_data_disk", standing.isOnDataDisk ? 1 : 0)
      if let archive {
        set("archive_failing", archive.isFailing || !archive.isOn ? 1 : 0)
        set("archive_age_seconds", archive.age)
        set("archive_waiting_bytes", Double(archive.waiting))
      }
      set("read_timestamp_seconds", seconds(.now))
      return registry.text()
    }
  }
}
