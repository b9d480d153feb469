internal import Files
internal import FoundationEssentials
internal import Glibc

/// Writes images again without metadata, and makes thumbnails, with libvips in limited processes.
package struct ImageTool: Sendable {
  /// The result of writing an image again.
  enum Result: Sendable {
    /// The new image, and its thumbnail as JPEG.
    case prepared([UInt8], thumbnail: [UInt8])
    /// The image cannot be prepared: it is damaged, or exceeds a limit.
    case refused(String)
  }

  /// The largest number of pixels of an accepted image: 100 million.
  private static let mostPixels = 100_000_000

  /// The folder of `vips`, `vipsheader` and `vipsthumbnail`.
  private let binaries: String
  private let limits: LimitedProcess.Limits

  /// Finds the programs of the Debian package `libvips-tools`; nil if they are not installed.
  package init?(folder: String = "/usr/bin") {
    self.init(folder: folder, limits: LimitedProcess.Limits())
  }

  init?(folder: String, limits: LimitedProcess.Limits) {
    guard ["vips", "vipsheader", "vipsthumbnail"].allSatisfy({ access("\(folder)/\($0)", X_OK) == 0 }) else {
      return nil
    }
    binaries = folder
    self.limits = limits
  }

  /// Writes an image again: turned as its metadata says, without metadata, and not larger than it came. A camera saves
  /// with less quality than the usual one, which would only make the file larger.
  ///
  /// - Throws: an error if a process cannot be started or a temporary file cannot be written.
  func prepare(_ image: [UInt8], _ type: MediaType) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (source, target, thumbnail) = (
      "in.\(type.fileExtension)", "out.\(type.prepared.fileExtension)", "thumb.jpg"
    )
    try folder.write(image, to: source)
    let sides: [Int]
    switch try await measure(source, in: folder) {
    case .success(let found): sides = found
    case .failure(let refusal): return .refused(refusal.reason)
    }
    // An animation keeps its frames, and GIF has no orientation.
    let isAnimated = type == .gif || type == .webp
    var prepared: [UInt8] = []
    for options in Self.options(of: type.prepared) {
      let words =
        isAnimated
        ? ["copy", "\(source)[n=-1]", "\(target)\(options)"] : ["autorot", source, "\(target)\(options)"]
      if let refusal = try await run("vips", words, in: folder) { return .refused(refusal) }
      guard let written = folder.read(target), !written.isEmpty else {
        return .refused("the image could not be written again")
      }
      if prepared.isEmpty || written.count < prepared.count { prepared = written }
      if prepared.count <= image.count { break }
    }
    if prepared.count > image.count, !isAnimated {
      prepared = try await shrunk(source, sides, type.prepared, to: image.count, in: folder) ?? prepared
    }
    let small = ["\(source)", "--size", "320x320>", "--output", "\(folder.path)/\(thumbnail)[strip,Q=80]"]
    if let refusal = try await run("vipsthumbnail", small, in: folder) { return .refused(refusal) }
    guard let icon = folder.read(thumbnail), !icon.isEmpty else {
      return .refused("the image could not be written again")
    }
    return .prepared(prepared, thumbnail: icon)
  }

  /// Returns a smaller picture of an image that is too large even with little quality; nil if there is none.
  private func shrunk(
    _ source: String,
    _ sides: [Int],
    _ type: MediaType,
    to most: Int,
    in folder: TemporaryFolder
  ) async throws -> [UInt8]? {
    guard let options = Self.options(of: type).last, var side = sides.max() else { return nil }
    let target = "small.\(type.fileExtension)"
    // An icon cannot be made smaller usefully.
    while side > 128 {
      side = side * 3 / 4
      let words = [source, "--size", "\(side)x\(side)>", "--output", "\(folder.path)/\(target)\(options)"]
      guard try await run("vipsthumbnail", words, in: folder) == nil else { return nil }
      if let written = folder.read(target), !written.isEmpty, written.count <= most { return written }
    }
    return nil
  }

  /// A reason for which an image is refused.
  private struct Refusal: Error {
    let reason: String
  }

  /// Returns width and height, without decoding the image; a refusal for too many pixels.
  private func measure(_ source: String, in folder: TemporaryFolder) async throws
    -> Swift.Result<[Int], Refusal>
  {
    var sizes: [Int] = []
    for field in ["width", "height"] {
      let (end, output) = try await process("vipsheader", ["-f", field, source], in: folder).run()
      if let refusal = Self.refusal(end) { return .failure(Refusal(reason: refusal)) }
      guard let size = Int(output.filter { !$0.isWhitespace }), size > 0 else {
        return .failure(Refusal(reason: "the image is damaged"))
      }
      sizes.append(size)
    }
    let (pixels, overflow) = sizes[0].multipliedReportingOverflow(by: sizes[1])
    guard !overflow, pixels <= Self.mostPixels else {
      let limit = Self.mostPixels / 1_000_000
      return .failure(Refusal(reason: "the image has more than \(limit) million pixels"))
    }
    return .success(sizes)
  }

  private func run(_ program: String, _ arguments: [String], in folder: TemporaryFolder) async throws
    -> String?
  {
    Self.refusal(try await process(program, arguments, in: folder).run().end)
  }

  private func process(_ program: String, _ arguments: [String], in folder: TemporaryFolder) -> LimitedProcess
  {
    LimitedProcess(path: "\(binaries)/\(program)", arguments: arguments, folder: folder.path, limits: limits)
  }

  /// The options with which an image is written, in the order in which they are tried: each makes a smaller file.
  private static func options(of type: MediaType) -> [String] {
    switch type {
    case .jpeg: [90, 75, 60, 50, 40, 30, 20].map { "[strip,Q=\($0)]" }
    case .webp: ["[strip]", "[strip,Q=50]", "[strip,Q=35]", "[strip,Q=20]"]
    case .png: ["[strip]", "[strip,compression=9,filter=all]", "[strip,palette,compression=9]"]
    case .gif: ["[strip]", "[strip,effort=10,bitdepth=6]", "[strip,effort=10,bitdepth=4]"]
    default: ["[strip]"]
    }
  }

  private static func refusal(_ end: LimitedProcess.End) -> String? {
    switch end {
    case .exited(0, _): nil
    case .exited: "the image is damaged, or exceeds the limits for its preparation"
    case .killed: "the image exceeds the limits for its preparation"
    case .timedOut: "the preparation of the image took too long"
    }
  }
}

/// A folder for the files of one run, which only this user can access.
struct TemporaryFolder: Sendable {
  /// The absolute path.
  let path: String

  /// Creates the folder.
  init() throws {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/fettle-file-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw JobFailure.temporary("cannot create a temporary folder: \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Writes a file of the folder.
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
  }

  /// Returns the bytes of a file of the folder; nil if there is none.
  func read(_ name: String) -> [UInt8]? {
    // A missing file is an answer, not an error.
    (try? Data(contentsOf: URL(filePath: "\(path)/\(name)"))).map { Array($0) }
  }

  /// Removes the folder with its files.
  func remove() {
    // What cannot be removed is left to the system's cleanup of temporary files.
    try? FileManager.default.removeItem(atPath: path)
  }
}
