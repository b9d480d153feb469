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

  /// Writes an image again: turned as its metadata says, without metadata.
  ///
  /// - Throws: an error if a process cannot be started or a temporary file cannot be written.
  func prepare(_ image: [UInt8], _ type: MediaType) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (source, target, thumbnail) = (
      "in.\(type.fileExtension)", "out.\(type.prepared.fileExtension)", "thumb.jpg"
    )
    try folder.write(image, to: source)
    if let refusal = try await measure(source, type, in: folder) { return .refused(refusal) }
    // An animation keeps its frames, and GIF has no orientation.
    let isAnimated = type == .gif || type == .webp
    let words =
      isAnimated
      ? ["copy", "\(source)[n=-1]", "\(target)[strip]"]
      : ["autorot", source, "\(target)\(Self.options(of: type.prepared))"]
    if let refusal = try await run("vips", words, in: folder) { return .refused(refusal) }
    let small = ["\(source)", "--size", "320x320>", "--output", "\(folder.path)/\(thumbnail)[strip,Q=80]"]
    if let refusal = try await run("vipsthumbnail", small, in: folder) { return .refused(refusal) }
    guard let prepared = folder.read(target), let icon = folder.read(thumbnail), !prepared.isEmpty,
      !icon.isEmpty
    else { return .refused("the image could not be written again") }
    return .prepared(prepared, thumbnail: icon)
  }

  /// Returns a refusal for an image with too many pixels, without decoding it.
  private func measure(_ source: String, _ type: MediaType, in folder: TemporaryFolder) async throws
    -> String?
  {
    var sizes: [Int] = []
    for field in ["width", "height"] {
      let (end, output) = try await process("vipsheader", ["-f", field, source], in: folder).run()
      if let refusal = Self.refusal(end) { return refusal }
      guard let size = Int(output.filter { !$0.isWhitespace }), size > 0 else {
        return "the image is damaged"
      }
      sizes.append(size)
    }
    let (pixels, overflow) = sizes[0].multipliedReportingOverflow(by: sizes[1])
    return overflow || pixels > Self.mostPixels
      ? "the image has more than \(Self.mostPixels / 1_000_000) million pixels" : nil
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

  private static func options(of type: MediaType) -> String {
    type == .jpeg ? "[strip,Q=90]" : "[strip]"
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
