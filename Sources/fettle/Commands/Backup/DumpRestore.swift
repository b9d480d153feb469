internal import Cluster

/// Restores dumps of `pg_dump` with `pg_restore`, also into a later version of PostgreSQL.
struct DumpRestore {
  /// The path of `pg_restore`.
  let program: String
  /// The cluster that is filled.
  let cluster: EmbeddedCluster
  /// The number of connections at once.
  var jobs = 1

  /// Restores one dump. Rights on PostgreSQL's own functions are left out, because a later version has other functions:
  /// `Installation.prepareRoles` sets Fettle's afterwards.
  ///
  /// - Parameters:
  ///   - dump: the file or folder of the dump, beside which this writes a list of its contents.
  ///   - database: the database to fill; nil to create the one of the dump.
  func run(_ dump: String, into database: String?) async throws {
    let tool = Tool(program)
    let creation = database == nil ? ["--create"] : []
    let contents = try await tool.done(creation + ["--list", dump])
    let list = "\(dump).list"
    try BackupFolder.write(Self.portable(contents), to: list)
    let place = [
      "--host", cluster.socketDirectory, "--port", "\(cluster.port)", "--username", "postgres",
      "--dbname", database ?? "postgres",
    ]
    try await tool.done(
      creation + place + ["--exit-on-error", "--jobs", "\(jobs)", "--use-list", list, dump]
    )
  }

  /// Returns a list of contents without rights in the schema `pg_catalog`, whose lines are
  /// `7543; 0 0 ACL pg_catalog FUNCTION amvalidate(oid) postgres`.
  static func portable(_ contents: String) -> String {
    contents.split(separator: "\n").filter { line in
      line.split(separator: " ", maxSplits: 5).dropFirst(3).prefix(2) != ["ACL", "pg_catalog"]
    }.joined(separator: "\n") + "\n"
  }
}
