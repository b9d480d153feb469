internal import Domain
internal import Secrets
internal import WebFiles

/// The files that browsers load, under names that change with their content.
///
/// A browser keeps such a file for a year and never asks for it again; a new build has other names.
package struct AssetLibrary: Sendable {
  /// A file as it is served.
  package struct Asset: Sendable {
    package let bytes: [UInt8]
    package let mediaType: String

    package init(bytes: [UInt8], mediaType: String) {
      self.bytes = bytes
      self.mediaType = mediaType
    }
  }

  /// The library of the files in the binary.
  package static let standard = AssetLibrary(
    (WebFiles.below("style") + WebFiles.below("script"))
      // The field app has its own places, by build.
      .filter { !$0.path.hasPrefix("script/field/") && $0.name != "field.css" }
  )

  private var served: [String: Asset] = [:]
  private var hashed: [String: String] = [:]

  private init(_ files: [WebFile]) {
    for file in files {
      let bytes = Array(file.text.utf8)
      let digest = Hex.encode(SHA256.hash(bytes)).prefix(12)
      let parts = file.name.split(separator: ".", maxSplits: 1).map(String.init)
      let name = "\(parts[0]).\(digest).\(parts.count > 1 ? parts[1] : "")"
      hashed[file.name] = name
      let mediaType =
        file.name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
      served[name] = Asset(bytes: bytes, mediaType: mediaType)
    }
  }

  /// Returns the place of a file, such as `console.css`.
  package func place(_ name: String) -> Place { Place(["a", hashed[name] ?? name]) }

  /// Returns the file with a served name; nil if there is none.
  package func asset(_ served: String) -> Asset? { self.served[served] }
}
