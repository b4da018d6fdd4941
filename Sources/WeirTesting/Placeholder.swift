import Testing
import XCTest
