package import Files
package import Store

/// The checks of `fettle doctor` on the files of records.
package enum FileHealth {
  /// Returns the findings about the store of files, and about the programs that prepare images.
  package static func run(_ store: any BlobStore) async -> [HealthFinding] {
    let images = await images()
    do {
      try await store.check()
      return [HealthFinding("files", .ok, "files are stored in \(store.place)"), images]
    } catch {
      return [
        HealthFinding(
          "files",
          .failed,
          "\(error)",
          remedy: "check --blobs, its folder's owner, or the bucket"
        ), images,
      ]
    }
  }

  /// Tries the box and the limits in which libvips runs.
  private static func images() async -> HealthFinding {
    func waiting(_ reason: String, _ remedy: String) -> HealthFinding {
      let words = "\(reason), so uploaded images wait and only the uploader can read them"
      return HealthFinding("images", .warning, words, remedy: remedy)
    }
    guard ImageTool() != nil else {
      return waiting(
        "libvips-tools is not installed here",
        "apt-get install libvips-tools on the machines of the workers"
      )
    }
    guard let box = await ProgramBox.find() else {
      return waiting("no box without network can be made here", "allow seccomp, as the shipped units do")
    }
    // A failure to make the folder is one to run programs, too.
    guard let folder = try? TemporaryFolder() else {
      return waiting("there is no folder for temporary files", "make TMPDIR writable")
    }
    defer { folder.remove() }
    let trial = LimitedProcess(path: "/bin/true", arguments: [], folder: folder.path)
    guard case .exited(0, _)? = try? await trial.run().end else {
      return waiting("the limits of a program cannot be set here", "allow setrlimit, as the shipped units do")
    }
    return HealthFinding("images", .ok, "libvips prepares images in a box: \(box.description)")
  }
}
