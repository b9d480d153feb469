internal import FoundationEssentials
internal import Glibc

/// The data folder of an installation, and why it was chosen.
package struct ClusterHome: Equatable, Sendable {
  /// An absolute path; the folder need not exist yet.
  package let directory: String
  /// An explanation for the operator if this is not the expected folder.
  package let note: String?

  /// A folder chosen by the caller.
  package init(directory: String, note: String? = nil) {
    self.directory = SystemFile.canonical(directory)
    self.note = note
  }

  /// Finds the folder: `FETTLE_HOME`, else `.fettle` in the current folder, else `$XDG_DATA_HOME/fettle`; for
  /// root, if the server's user cannot enter those, `/var/lib/fettle`.
  ///
  /// A folder named by `FETTLE_HOME` is used or refused, never replaced.
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
          hint: "choose a folder outside of it, such as /var/lib/fettle"
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
      guard let problem = try ClusterHome(directory: candidate).problem() else {
        let note = refused.map { "keeping the data in \(candidate), because \($0)" }
        return ClusterHome(directory: candidate, note: note)
      }
      refused = refused ?? "\(candidate) cannot be used: \(problem)"
    }
    throw ClusterError(
      .homeUnusable,
      refused ?? "no folder for the data is usable",
      hint: "name a writable folder with FETTLE_HOME"
    )
  }

  /// Returns why the server could not keep its data here, or nil if it can.
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
