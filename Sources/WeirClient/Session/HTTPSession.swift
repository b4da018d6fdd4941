public import Foundation
public import WeirModel

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A session shaped like `URLSession` that measures everything its tasks do.
///
/// It runs over `URLSession` on Apple platforms and over libcurl elsewhere. Each task, whether it succeeds, fails or is
/// cancelled, yields exactly one `TaskRecord`, which every observer gets before the task's caller resumes; for `bytes` at the
/// end of the stream. If `WEIR_RECORD_FILE` is set in the environment, records are also appended to that file.
///
/// Failures are `URLError` with the code that `URLSession` would use; off Apple platforms libcurl's own message is in
/// `userInfo` under `URLError.libcurlMessageKey`. A response of any status is a success.
///
/// A session that goes out of scope finishes the streams that still run and then ends its thread.
public final class HTTPSession: Sendable {
    #if canImport(Darwin)
    typealias Transport = URLSessionTransport
    #else
    typealias Transport = CurlTransport
    #endif

    /// How the session behaves.
    public let configuration: Configuration
    let transport: Transport

    /// Makes a session.
    ///
    /// The session belongs to the unit of work that is current here: its tasks are attributed to it where their own
    /// surroundings name none.
    ///
    /// - Parameters:
    ///   - configuration: How the session behaves.
    ///   - observers: Who gets the record of every task.
    public init(configuration: Configuration = .init(), observers: [any TaskObserver] = []) {
        self.configuration = configuration
        var observers = observers
        if let file = RecordFile.fromEnvironment { observers.append(file) }
        transport = Transport(configuration: configuration, observers: observers)
    }

    /// Makes a session of which nobody gets records, whatever the environment says: for what measures, which must not
    /// measure itself.
    package init(unobserved configuration: Configuration) {
        self.configuration = configuration
        transport = Transport(configuration: configuration, observers: [])
    }

    deinit { transport.finishTasksAndInvalidate() }

    /// Cancels all tasks and takes no more; `drain` tells when they are gone.
    ///
    /// A task that is created afterwards fails with `URLError.cancelled`.
    public func invalidate() { transport.invalidate() }

    /// Takes no more tasks, and ends when those under way are done.
    public func finishTasksAndInvalidate() { transport.finishTasksAndInvalidate() }

    /// Waits until no task is under way and, if the session was invalidated, until its thread and its sockets are gone.
    public nonisolated(nonsending) func drain() async { await transport.drain() }
}

extension HTTPSession {
    /// Fetches a URL, its body held in memory.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The body with its content coding undone, and the response.
    /// - Throws: `URLError`.
    public nonisolated(nonsending) func data(
        from url: URL, observer: (any TaskObserver)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(from: url, observer: observer)
    }

    /// Sends a request; the response's body is held in memory.
    ///
    /// - Parameters:
    ///   - request: The request; its `httpBody` or `httpBodyStream` is sent.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The body with its content coding undone, and the response.
    /// - Throws: `URLError`.
    public nonisolated(nonsending) func data(
        for request: URLRequest, observer: (any TaskObserver)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request, body: nil, observer: observer)
    }

    /// Sends a request with a body from memory.
    ///
    /// - Parameters:
    ///   - request: The request; its own body, if any, is not sent.
    ///   - body: The body.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The response's body with its content coding undone, and the response.
    /// - Throws: `URLError`.
    public nonisolated(nonsending) func upload(
        for request: URLRequest, from body: Data, observer: (any TaskObserver)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request, body: .data(body), observer: observer)
    }

    /// Sends a request with a body that is read from a file while it is sent.
    ///
    /// - Parameters:
    ///   - request: The request; its own body, if any, is not sent.
    ///   - file: The file.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The response's body with its content coding undone, and the response.
    /// - Throws: `URLError`; `fileDoesNotExist`, `noPermissionsToReadFile` or `fileIsDirectory` for the file.
    public nonisolated(nonsending) func upload(
        for request: URLRequest, fromFile file: URL, observer: (any TaskObserver)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request, body: .file(file), observer: observer)
    }

    /// Sends a request with a body of zeros that never ends; cancelling the Swift task ends it.
    ///
    /// - Parameters:
    ///   - request: The request; its own body, if any, is not sent.
    ///   - meter: Counts what is sent.
    /// - Returns: The response's body and the response, if the server answers before the body ends.
    /// - Throws: `URLError`.
    package nonisolated(nonsending) func upload(
        for request: URLRequest, endlessly meter: UploadMeter
    ) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request, body: .endless(meter), observer: nil)
    }

    /// Fetches a URL and gives its body to be read while it arrives.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The body, and the response, as soon as its head is there.
    /// - Throws: `URLError`.
    public nonisolated(nonsending) func bytes(
        from url: URL, observer: (any TaskObserver)? = nil
    ) async throws -> (Bytes, HTTPURLResponse) {
        try await transport.bytes(for: URLRequest(url: url), observer: observer)
    }

    /// Sends a request and gives the response's body to be read while it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The body with its content coding undone, and the response, as soon as its head is there.
    /// - Throws: `URLError`.
    public nonisolated(nonsending) func bytes(
        for request: URLRequest, observer: (any TaskObserver)? = nil
    ) async throws -> (Bytes, HTTPURLResponse) {
        try await transport.bytes(for: request, observer: observer)
    }

    /// Sends a request and writes the response's body to a file while it arrives.
    ///
    /// The file appears, or takes the place of an older one, when it is complete. The body is written whatever the status is.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: The file; its folder must be there.
    ///   - observer: Gets the record of this task too.
    /// - Returns: The response.
    /// - Throws: `URLError`; `cannotCreateFile`, `cannotWriteToFile` or `cannotMoveFile` for the file.
    @discardableResult
    public nonisolated(nonsending) func download(
        for request: URLRequest, to file: URL, observer: (any TaskObserver)? = nil
    ) async throws -> HTTPURLResponse {
        let sink = try FileSink(file)
        let (bytes, response) = try await transport.bytes(for: request, observer: observer)
        for try await chunk in bytes.chunks { try sink.write(chunk) }
        try sink.commit()
        return response
    }
}
