internal import Domain
internal import FoundationEssentials

/// A line of an import file that can be taken.
struct ImportLine {
  let line: Int
  /// The cells' texts, in the order of ``ImportReader/targets``.
  let cells: [String?]
  let unread: [UnreadValue]
  /// The cells as they stand in the file.
  let raw: [String]
  /// Which record it is, if the file says.
  let id: UUID?
  /// At which version the file saw it.
  let version: Int64?
  /// The status it has, if the file says.
  let status: String?
  private let bytes: [UInt8]

  init(
    line: Int,
    cells: [String?],
    unread: [UnreadValue],
    raw: [String],
    id: UUID? = nil,
    version: Int64? = nil,
    status: String? = nil,
    bytes: [UInt8]
  ) {
    self.line = line
    self.cells = cells
    self.unread = unread
    self.raw = raw
    self.id = id
    self.version = version
    self.status = status
    self.bytes = bytes
  }

  /// The line as it stands in the file.
  var source: String { String(decoding: bytes, as: UTF8.self) }
}
