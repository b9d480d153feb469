internal import Cluster
internal import FoundationEssentials
internal import Glibc

/// PostgreSQL with another time than this process has, by Debian's `faketime`: what one of the two takes for
/// an hour ago is now for the other.
package enum WrongClock {
  /// Whether there is a `faketime` to do it with.
  package static var isInstalled: Bool { library != nil }

  private static var library: String? {
    let folder = "/usr/lib"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { "\(folder)/\($0)/faketime/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }
  }

  /// A cluster for one test alone, whose clock is so many seconds ahead of this process's.
  package static func withCluster<Value>(
    secondsAhead: Int,
    _ body: (TestDatabase) async throws -> Value
  ) async throws -> Value {
    let real = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    // Not in a folder of our own, since the server's user has to get there.
    let folder = "/tmp/fettle-clock-\(getpid())-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/initdb",
      withDestinationPath: "\(real.directory)/initdb"
    )
    // What measures how long something takes stays as it is.
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
