#if !canImport(Darwin)
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPCompression
  internal import NIOPosix

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #endif

  /// Sends requests with AsyncHTTPClient. Call ``close()`` at the end.
  public struct HTTPTransport: Transport {
    /// The longest answer in bytes: the largest file.
    static let longestAnswer = 67_108_864

    private let origin: String
    private let client: HTTPClient

    /// Creates a transport.
    ///
    /// - Parameter origin: the origin of the server without a path, such as `https://fettle.example`.
    /// - Throws: ``ClientError`` with the kind `invalidInput` for another text.
    public init(_ origin: String) throws {
      self.origin = try Origin.checked(origin)
      var configuration = HTTPClient.Configuration()
      configuration.decompression = .enabled(limit: .size(Self.longestAnswer))
      configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(10))
      // A redirect of a change would repeat it elsewhere.
      configuration.redirectConfiguration = .disallow
      client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections.
    public func close() async throws { try await client.shutdown() }

    /// Sends a request, and returns the whole answer.
    public func send(_ request: Request) async throws -> Response {
      var message = HTTPClientRequest(url: origin + request.target)
      message.method = HTTPMethod(rawValue: request.method.rawValue)
      for (name, value) in request.headers { message.headers.add(name: name, value: value) }
      if !request.body.isEmpty || [.post, .put, .patch].contains(request.method) {
        message.body = .bytes(request.body)
      }
      do {
        let timeout = TimeAmount.nanoseconds(Int64(request.timeout / .nanoseconds(1)))
        let answer = try await client.execute(message, timeout: timeout)
        let body = try await answer.body.collect(upTo: Self.longestAnswer)
        var headers: [String: String] = [:]
        for (name, value) in answer.headers { headers[name.lowercased()] = value }
        return Response(
          status: Int(answer.status.code),
          headers: headers,
          body: Array(body.readableBytesView)
        )
      } catch let error as CancellationError {
        throw error
      } catch {
        throw Self.failure(error)
      }
    }

    private static func failure(_ error: any Error) -> ClientError {
      let text = "\(error)"
      let notSent: Bool =
        switch error {
        case let error as HTTPClientError:
          error == .connectTimeout || error == .tlsHandshakeTimeout || error == .getConnectionFromPoolTimeout
        case is NIOConnectionError: true
        // A refused connection, or a name that is not found.
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
        default: false
        }
      return notSent
        ? ClientError(
          .offline,
          "the server cannot be reached: \(text)",
          hint: "try again when there is a network"
        )
        : ClientError(.unanswered, "the server did not answer: \(text)")
    }
  }
#endif
