internal import Glibc
internal import NIOCore

/// An error while opening the listening socket.
package struct ServerError: Error, Sendable {
  package let address: ListenAddress
  /// The reason, for people.
  package let reason: String
  /// True if another process listens on the port.
  let isInUse: Bool

  init(_ address: ListenAddress, _ error: any Error) {
    self.address = address
    isInUse = (error as? IOError)?.errnoCode == EADDRINUSE
    reason =
      switch (error as? IOError)?.errnoCode {
      case EADDRINUSE: "another process uses the port"
      case EADDRNOTAVAIL: "this machine does not have the address"
      case EACCES: "ports below 1024 require a privilege"
      default: "\(error)"
      }
  }
}
