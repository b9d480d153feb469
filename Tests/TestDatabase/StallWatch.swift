internal import Cluster
internal import Foundation
internal import TestTools

/// Prints the transactions of the shared cluster that last longer than those of any test, and what blocks them.
///
/// A test that waits for itself is no deadlock to PostgreSQL: a transaction that waits in the process for a second
/// connection, whose statement is behind a lock that waits for this transaction. It shows only much later, when tests
/// reach their time limits.
enum StallWatch {
  private static let longest = 180
  private static let interval = 60.0

  /// Runs until the process ends, on a thread of its own with a client of its own: neither the tasks of the tests nor
  /// their connections may hold it up.
  static func begin(_ cluster: EmbeddedCluster) {
    let parameters = cluster.connectionParameters(database: "postgres")
      .map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
    Thread {
      while true {
        Thread.sleep(forTimeInterval: interval)
        let found = transactions(parameters)
        if !found.isEmpty { FileHandle.standardError.write(Data("stalled transactions:\n\(found)".utf8)) }
      }
    }.start()
  }

  /// Returns a line for each old transaction; nothing if the server does not answer.
  private static func transactions(_ parameters: String) -> String {
    let output = FileManager.default.temporaryDirectory.appending(path: "stalled-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: output) }  // a leftover file is harmless
    let arguments = ["-X", "-A", "-t", "-d", parameters, "-c", query]
    try? Child("/usr/bin/psql", arguments, output: output, errors: "/dev/null").wait()
    return (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
  }

  private static let query = """
    select pid, datname, usename, state, wait_event, date_trunc('second', now() - xact_start),
      pg_blocking_pids(pid), left(regexp_replace(query, '\\s+', ' ', 'g'), 200)
    from pg_stat_activity
    where backend_type = 'client backend' and xact_start < now() - interval '\(longest) seconds'
    order by xact_start
    limit 50
    """
}
