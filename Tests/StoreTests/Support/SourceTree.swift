import FoundationEssentials

/// The package folder that these tests were built from.
enum SourceTree {
  /// The package's root, derived from this file's folder `Tests/StoreTests/Support`.
  static let root = String(#filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 })

  /// Returns the text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// Returns the sorted paths of all files below a folder, relative to it.
  static func files(below folder: String) throws -> [String] {
    let start = "\(root)/\(folder)"
    var found: [String] = []
    var open = [""]
    while let next = open.popLast() {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(start)/\(next)") {
        let path = next.isEmpty ? name : "\(next)/\(name)"
        var isFolder = false
        guard FileManager.default.fileExists(atPath: "\(start)/\(path)", isDirectory: &isFolder) else {
          continue
        }
        if isFolder { open.append(path) } else { found.append(path) }
      }
    }
    return found.sorted()
  }
}
