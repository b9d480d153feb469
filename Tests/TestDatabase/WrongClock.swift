internal import Cluster
internal import FoundationEssentials
internal import Glibc

/// A PostgreSQL whose clock differs from that of this process, with Debian's `faketime`.
package enum WrongClock {
  /// True if `faketime` is installed.
  package static var isInstalled: Bool { library != nil }

  private static var library: String? {
    let folder = "/usr/lib"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { "\(folder)/\($0)/faketime/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }
  }

  /// Starts a cluster for one test, with a clock that is this many seconds ahead.
  package static func withCluster<Value>(
    secondsAhead: Int,
    _ body: (TestDatabase) async throws -> Value
  ) async throws -> Value {
    let real = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    // Not in a folder of this user: the server's user must be able to enter it.
    let folder = "/tmp/fettle-clock-\(getpid())-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/initdb",
      withDestinationPath: "\(real.directory)/initdb"
    )
    // The monotonic clock is not changed.
    let script = """
      #!/bin/sh
      export LD_PRELOAD=\(library ?? "") FAKETIME=\(secondsAhead < 0 ? "" : "+")\(secondsAhead)
      export FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1
      exec \(real.directory)/postgres "$@"

      """
    let made = FileManager.default.createFile(atPath: "\(folder)/postgres", contents: Data(script.utf8))
    guard made, chmod(folder, 0o755) == 0, chmod("\(folder)/postgres", 0o755) == 0 else {
      throw ClusterError(
        .startFailed,
        "cannot write \(folder)/postgres",
        hint: "is the temporary folder full?"
      )
    }
    return try await EphemeralCluster.withOwn(environment: ["FETTLE_PG_BIN": folder]) { cluster in
      try await body(TestDatabase.make(in: cluster))
    }
  }
}
