internal import FoundationEssentials
internal import Glibc

/// The home folder of an installation, which contains the cluster, keys and secrets.
package struct ClusterHome: Equatable, Sendable {
  /// The absolute path; the folder need not exist yet.
  package let directory: String
  /// The reason why this is not the first choice, for the operator; nil if it is.
  package let note: String?

  /// Creates a home in a folder chosen by the caller.
  package init(directory: String, note: String? = nil) {
    self.directory = SystemFile.canonical(directory)
    self.note = note
  }

  /// Returns the first usable folder: `.fettle` in the current folder, `$XDG_DATA_HOME/fettle` (without that
  /// variable `$HOME/.local/share/fettle`), and for root `/var/lib/fettle`. A folder is usable if the
  /// server's user can enter its parent and this process can write to it.
  ///
  /// A folder named by `FETTLE_HOME` is the only candidate.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable` if no candidate is usable, `belongsToAnother` if a
  ///   candidate exists and belongs to neither this user nor root: its owner could have prepared a cluster and
  ///   keys for others to use. `FETTLE_HOME` may name such a folder.
  package static func locate(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    currentDirectory: String? = nil
  ) throws(ClusterError) -> ClusterHome {
    if let chosen = environment["FETTLE_HOME"], !chosen.isEmpty {
      let home = ClusterHome(directory: chosen)
      if let problem = try home.problem() {
        throw ClusterError(
          .homeUnusable,
          "FETTLE_HOME is \(home.directory), but \(problem)",
          hint: "set FETTLE_HOME to another folder, such as /var/lib/fettle"
        )
      }
      return home
    }
    let here = SystemFile.canonical(currentDirectory ?? SystemFile.currentDirectory())
    var candidates = ["\(here)/.fettle"]
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      candidates.append("\(data)/fettle")
    } else if let own = environment["HOME"], own.hasPrefix("/") {
      candidates.append("\(own)/.local/share/fettle")
    }
    if geteuid() == 0 { candidates.append("/var/lib/fettle") }

    var refused: String?
    for candidate in candidates {
      try requireOwn(candidate)
      guard let problem = try ClusterHome(directory: candidate).problem() else {
        let note = refused.map { "the data is kept in \(candidate), because \($0)" }
        return ClusterHome(directory: candidate, note: note)
      }
      refused = refused ?? "\(candidate) cannot be used: \(problem)"
    }
    throw ClusterError(
      .homeUnusable,
      refused ?? "no folder for the data is usable",
      hint: "set FETTLE_HOME to a writable folder"
    )
  }

  /// Refuses an existing folder, or a link to it, that belongs to neither this user nor root.
  private static func requireOwn(_ folder: String) throws(ClusterError) {
    for path in [folder, SystemFile.canonical(folder)] {
      guard let owner = SystemFile.status(of: path)?.st_uid, ![geteuid(), 0].contains(owner) else { continue }
      throw ClusterError(
        .belongsToAnother,
        "\(path) belongs to another user (uid \(owner))",
        hint: "set FETTLE_HOME to it if you trust that user, or run the command in another folder"
      )
    }
  }

  /// Returns the reason why the server cannot keep its data in this folder; nil if it can.
  func problem() throws(ClusterError) -> String? {
    let user = try ServerUser.choose(for: "\(directory)/postgres")
    if let obstacle = user.obstacle(to: SystemFile.parent(of: directory)) {
      return "the server's user \(user.name) may not enter \(obstacle)"
    }
    var existing = directory
    while !SystemFile.exists(existing), existing != "/" { existing = SystemFile.parent(of: existing) }
    guard access(existing, W_OK | X_OK) == 0 else { return "\(existing) is not writable" }
    return nil
  }
}
