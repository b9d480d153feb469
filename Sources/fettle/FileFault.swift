internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Terminal

/// A file or folder that cannot be read or written, with the reason of the system.
struct FileFault: Error {
  let message: String
  /// True if the disk is full or fails; otherwise the path is wrong.
  let isFull: Bool

  var code: String {
    isFull ? TerminalError.Kind.outputFailed.rawValue : ErrorCode.invalidInput.rawValue
  }
  var hint: String {
    isFull ? "free space, and run the command again" : "check the path, and who may write there"
  }

  /// Describes a failure of a system call on a path.
  init(_ path: String, errno: Int32) { self.init("write", path, errno) }

  /// Describes an error of Foundation.
  ///
  /// - Parameter path: the path as the operator wrote it; nil for that of the error.
  init(_ error: any Error, path: String? = nil) {
    guard let fault = error as? CocoaError else {
      self.init(message: "cannot write \(Quoted(path ?? "the file")): \(error)", isFull: false)
      return
    }
    let known: Int32 =
      switch fault.code.rawValue {
      case 4, 260: ENOENT
      case 257, 513: EACCES
      case 516: EEXIST
      case 640: ENOSPC
      case 642: EROFS
      default: EIO
      }
    let number = (fault.underlying as? POSIXError)?.code.rawValue ?? known
    let verb = (256..<512).contains(fault.code.rawValue) ? "read" : "write"
    self.init(verb, path ?? fault.filePath ?? "the file", number)
  }

  private init(_ verb: String, _ path: String, _ number: Int32) {
    self.init(
      message: "cannot \(verb) \(Quoted(path)): \(String(cString: strerror(number)))",
      isFull: [ENOSPC, EDQUOT, EIO].contains(number)
    )
  }

  private init(message: String, isFull: Bool) {
    self.message = message
    self.isFull = isFull
  }
}
