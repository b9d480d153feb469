import FoundationEssentials

/// The folder of the package that these tests were built from.
enum SourceTree {
  /// The package's root, found from where this file is: `Tests/StoreTests/Support`.
  static let root = String(#filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 })

  /// What a file says.
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// The paths of all files below a folder, relative to it, in order.
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
