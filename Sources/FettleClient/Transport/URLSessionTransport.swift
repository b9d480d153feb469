#if canImport(Darwin)
  import Foundation

  /// Sends requests with URLSession.
  public struct HTTPTransport: Transport {
    private let origin: String
    private let session: URLSession

    /// Creates a transport.
    ///
    /// - Parameter origin: the origin of the server without a path, such as `https://fettle.example`.
    /// - Throws: ``ClientError`` with the kind `invalidInput` for another text.
    public init(_ origin: String) throws {
      self.origin = try Origin.checked(origin)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpShouldSetCookies = false
      session = URLSession(configuration: configuration)
    }

    /// Closes the connections.
    public func close() async throws { session.invalidateAndCancel() }

    /// Sends a request, and returns the whole answer.
    public func send(_ request: Request) async throws -> Response {
      guard let url = URL(string: origin + request.target) else {
        throw ClientError(.invalidInput, "\"\(request.target)\" is not a path")
      }
      var message = URLRequest(url: url)
      message.httpMethod = request.method.rawValue
      message.timeoutInterval = request.timeout / .seconds(1)
      for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
      if !request.body.isEmpty { message.httpBody = Data(request.body) }
      do {
        let (data, answer) = try await session.data(for: message)
        guard let answer = answer as? HTTPURLResponse else {
          throw ClientError(.invalidAnswer, "the answer is not HTTP")
        }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        return Response(status: answer.statusCode, headers: headers, body: [UInt8](data))
      } catch let error as URLError {
        switch error.code {
        case .cancelled: throw CancellationError()
        case .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed,
          .dataNotAllowed:
          throw ClientError(
            .offline,
            "the server cannot be reached",
            hint: "try again when there is a network"
          )
        default: throw ClientError(.unanswered, "the server did not answer: \(error.localizedDescription)")
        }
      }
    }
  }
#endif
