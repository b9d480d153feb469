internal import FoundationEssentials
internal import Glibc

/// The data folders of an embedded cluster: the one in use, the one that an upgrade fills, and those of other versions
/// that were in use before.
///
/// The data in use are in `data`, and those of PostgreSQL 15 are kept beside them as `data.15`.
package struct ClusterVersions: Sendable {
  /// Data that were in use before.
  package struct Kept: Sendable, Equatable {
    /// The major version that created them.
    package let major: Int
    package let folder: String
  }

  private let cluster: EmbeddedCluster

  package init(_ cluster: EmbeddedCluster) { self.cluster = cluster }

  /// The major version of the data in use; nil without data.
  package var major: Int? { Self.major(of: cluster.data) }

  /// The kept data, by version.
  package var kept: [Kept] {
    SystemFile.names(in: cluster.directory).compactMap { name in
      guard name.hasPrefix("data."), let major = Int(name.dropFirst("data.".count)) else { return nil }
      let folder = "\(cluster.directory)/\(name)"
      return Self.major(of: folder) == major ? Kept(major: major, folder: folder) : nil
    }.sorted { $0.major < $1.major }
  }

  /// The folder of an upgrade, on the disk of the data.
  package var workshop: String { "\(cluster.directory)/upgrade" }

  /// Returns the cluster that an upgrade fills, with a socket of its own, which needs not exist yet.
  package func fresh(_ programs: PostgresBinaries) throws(ClusterError) -> EmbeddedCluster {
    let user = try ServerUser.choose(for: cluster.directory)
    let home = ClusterHome(directory: workshop)
    for folder in [home.directory, "\(home.directory)/postgres"] {
      try SystemFile.makeDirectory(folder, mode: 0o700, owner: user)
    }
    return EmbeddedCluster(
      home: home,
      durable: cluster.durable,
      timeLimit: cluster.timeLimit,
      environment: ["FETTLE_PG_BIN": programs.directory]
    )
  }

  /// Gives the new data the settings of those in use, which their operator may have changed.
  package func copySettings(to fresh: EmbeddedCluster) throws(ClusterError) {
    let user = try ServerUser.choose(for: cluster.directory)
    for name in ["postgresql.conf", "postgresql.auto.conf", "pg_hba.conf", "pg_ident.conf"] {
      guard let text = SystemFile.text(at: "\(cluster.data)/\(name)") else { continue }
      try SystemFile.replace("\(fresh.data)/\(name)", with: text, owner: user)
    }
  }

  /// The file of a start that only some logins can use.
  private var accessFile: String { "\(cluster.directory)/closed_hba.conf" }

  /// Stops a server that a killed process has started for some logins only; others would be refused.
  func stopIfClosed() async throws {
    guard cluster.overrides.isEmpty, SystemFile.exists(accessFile) else { return }
    try await cluster.stop()
    unlink(accessFile)
  }

  /// Returns settings for a start of a server that only some logins can reach, by its Unix socket.
  ///
  /// - Parameter isReadOnly: true to let nobody write.
  package func closed(to logins: [String], isReadOnly: Bool) throws(ClusterError) -> [String: String] {
    let user = try ServerUser.choose(for: cluster.directory)
    let text = logins.map { "local all \($0) trust\n" }.joined()
    try SystemFile.replace(accessFile, with: text, owner: user)
    return [
      "hba_file": accessFile, "listen_addresses": "",
      "default_transaction_read_only": isReadOnly ? "on" : "off",
    ]
  }

  /// Removes what an upgrade leaves; of a killed one, the server too.
  ///
  /// - Parameter keepsLog: true to leave the log of the server, which may name the cause of a failure.
  package func removeWorkshop(keepsLog: Bool = false) async throws {
    unlink(accessFile)
    guard SystemFile.exists(workshop) else { return }
    try await EmbeddedCluster(home: ClusterHome(directory: workshop)).stop(mode: .immediate)
    let folders = keepsLog ? ["\(workshop)/postgres/data", "\(workshop)/dump"] : [workshop]
    for folder in folders where SystemFile.exists(folder) {
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Refuses to keep data of a version while others of it are kept.
  package func requireFree(_ major: Int) throws(ClusterError) {
    guard let kept = kept.first(where: { $0.major == major }) else { return }
    throw ClusterError(
      .homeUnusable,
      "data of PostgreSQL \(major) are kept in \(kept.folder) already",
      hint: "move or remove that folder"
    )
  }

  /// Puts other data in the place of those in use, which are kept. The servers of both are stopped.
  ///
  /// A crash between the two renames leaves no data in place; then no start creates others, and `fettle postgres revert`
  /// puts the kept ones back.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable`; the data in use are in place then.
  package func use(_ folder: String) throws(ClusterError) {
    let aside = major.map { "\(cluster.directory)/data.\($0)" }
    if let aside { try Self.move(cluster.data, to: aside) }
    do {
      try Self.move(folder, to: cluster.data)
    } catch {
      if let aside { rename(aside, cluster.data) }
      throw error
    }
    SystemFile.synchronise(directory: cluster.directory)
  }

  private static func move(_ folder: String, to place: String) throws(ClusterError) {
    guard rename(folder, place) == 0 else {
      throw .system(
        .homeUnusable,
        "cannot move \(folder) to \(place)",
        errno: errno,
        hint: "move or remove \(place)"
      )
    }
  }

  private static func major(of data: String) -> Int? {
    let version = SystemFile.text(at: "\(data)/PG_VERSION")?.split(separator: "\n").first
    return version.flatMap { Int($0) }
  }
}
