package import Files
package import Store

/// The checks of `fettle doctor` on the files of records.
package enum FileHealth {
  /// Returns the findings about the store of files, and about the programs that prepare images.
  package static func run(_ store: any BlobStore) async -> [HealthFinding] {
    let images =
      ImageTool() == nil
      ? HealthFinding(
        "images",
        .warning,
        "libvips-tools is not installed here, so uploaded images wait and only the uploader can read them",
        remedy: "apt-get install libvips-tools on the machines of the workers"
      ) : HealthFinding("images", .ok, "libvips prepares images")
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
}
